import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { HoldfastError } from '@holdfast/foundation'
import type { RequireAdmin } from '../admin/require-admin.ts'

type Needs = { readonly requireAdmin: RequireAdmin }

/**
 * `/sso`, `/admin/sso/providers`: single sign-on with SAML is not supported, and is refused like a disabled feature in GoTrue. The list of
 * providers for administrators is empty. Source: GoTrue API reference.
 */
export function ssoRoutes({ requireAdmin }: Needs): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/sso', async () => {
      throw samlDisabled()
    })
    app.get('/sso/saml/metadata', async () => {
      throw samlDisabled()
    })
    app.post('/sso/saml/acs', async () => {
      throw samlDisabled()
    })

    const path = '/admin/sso/providers'
    app.get(path, async (request) => {
      requireAdmin(request)
      return { items: [] }
    })
    app.post(path, async (request) => {
      requireAdmin(request)
      throw samlDisabled()
    })
    const params = Type.Object({ id: Type.String() })
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      app.route({
        method,
        url: `${path}/:id`,
        schema: { params },
        handler: async (request) => {
          requireAdmin(request)
          throw new HoldfastError('sso_provider_not_found', 404, 'SSO Identity Provider not found')
        },
      })
    }
  }
}

function samlDisabled(): HoldfastError {
  return new HoldfastError('saml_provider_disabled', 404, 'SAML 2.0 is disabled')
}
