import type { FastifyRequest } from 'fastify'
import { requireCaller } from '@holdfast/http'
import type { AuthContext } from '../context.ts'

/**
 * Judges `gotrue_meta_security.captcha_token` of a request's body, where only people may ask. Administrators need none, as in GoTrue.
 *
 * Call it after the rate limit of the route, where that has one: this asks another server.
 *
 * @throws {HoldfastError} see `Captcha.require`
 */
export async function requireCaptcha(context: AuthContext, request: FastifyRequest): Promise<void> {
  if (!context.captcha.isRequired) return
  const { role } = requireCaller(request).claims
  if (typeof role === 'string' && context.options.jwtAdminRoles.includes(role)) return
  const body = request.body as Body | null | undefined
  const token = body?.gotrue_meta_security?.captcha_token
  await context.captcha.require(typeof token === 'string' ? token : undefined, request.ip)
}

interface Body {
  readonly gotrue_meta_security?: { readonly captcha_token?: unknown } | null
}
