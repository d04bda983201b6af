import type { FastifyRequest } from 'fastify'
import { requireCaller } from '@holdfast/http'
import type { AuthContext } from '../context.ts'

/** The grants of `POST /token` that prove more than any captcha, as in GoTrue. */
const GRANTS_WITHOUT_CAPTCHA = new Set(['pkce', 'refresh_token', 'id_token'])

/**
 * Makes the `preHandler` of a route that only people may use: it judges `gotrue_meta_security.captcha_token` of the body. Administrators, and
 * grants that are no first step, need none.
 *
 * @throws {HoldfastError} see `Captcha.require`
 */
export function requireCaptcha(context: AuthContext): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    if (!context.captcha.isRequired) return
    const { role } = requireCaller(request).claims
    if (typeof role === 'string' && context.options.jwtAdminRoles.includes(role)) return
    const { grant_type: grant } = (request.query ?? {}) as { readonly grant_type?: unknown }
    if (
      typeof grant === 'string' &&
      GRANTS_WITHOUT_CAPTCHA.has(grant) &&
      request.routeOptions.url?.endsWith('/token')
    ) {
      return
    }
    const body = request.body as { readonly gotrue_meta_security?: { readonly captcha_token?: unknown } | null } | null
    const token = body?.gotrue_meta_security?.captcha_token
    await context.captcha.require(typeof token === 'string' ? token : undefined, request.ip)
  }
}
