import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { RequireAdmin } from '../admin/require-admin.ts'
import { validationFailed } from '../errors.ts'
import {
  changeCustomProvider,
  createCustomProvider,
  requireCustomProvider,
  type ChangeCustomProvidersNeeds,
} from '../external/custom/change-custom-providers.ts'
import {
  deleteCustomProvider,
  listCustomProviders,
  renderCustomProvider,
} from '../external/custom/custom-provider-row.ts'
import { CustomProviderBody } from '../external/custom/parse-custom-provider.ts'
import { BODY_BYTES_MAX } from '../limits.ts'

type Needs = ChangeCustomProvidersNeeds & { readonly requireAdmin: RequireAdmin }

/** `/admin/custom-providers`: external providers created by administrators. Source: GoTrue API reference. */
export function customProviderRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { pool, requireAdmin } = needs
  return async (app) => {
    const path = '/admin/custom-providers'
    const params = Type.Object({ identifier: Type.String() })
    const querystring = Type.Object({ type: Type.Optional(Type.String()) })

    app.get(path, { schema: { querystring } }, async (request) => {
      requireAdmin(request)
      const { type = '' } = request.query
      if (type !== '' && type !== 'oauth2' && type !== 'oidc') {
        throw validationFailed("type must be either 'oauth2' or 'oidc'")
      }
      const rows = await listCustomProviders(pool, type === '' ? undefined : type)
      return { providers: rows.map(renderCustomProvider) }
    })

    const withBody = { schema: { body: CustomProviderBody }, bodyLimit: BODY_BYTES_MAX }
    app.post(path, withBody, async (request, reply) => {
      requireAdmin(request)
      return reply.code(201).send(renderCustomProvider(await createCustomProvider(needs, request.body)))
    })

    app.get(`${path}/:identifier`, { schema: { params } }, async (request) => {
      requireAdmin(request)
      return renderCustomProvider(await requireCustomProvider(pool, request.params.identifier))
    })

    const change = { schema: { params, body: CustomProviderBody }, bodyLimit: BODY_BYTES_MAX }
    app.put(`${path}/:identifier`, change, async (request) => {
      requireAdmin(request)
      return renderCustomProvider(await changeCustomProvider(needs, request.params.identifier, request.body))
    })

    app.delete(`${path}/:identifier`, { schema: { params } }, async (request, reply) => {
      requireAdmin(request)
      const { identifier } = await requireCustomProvider(pool, request.params.identifier)
      await deleteCustomProvider(pool, identifier)
      return reply.code(204).send()
    })
  }
}
