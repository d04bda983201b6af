import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { requireAdmin } from '../admin/require-admin.ts'
import type { AuthContext } from '../context.ts'
import { validationFailed } from '../errors.ts'
import {
  changeCustomProvider,
  createCustomProvider,
  requireCustomProvider,
} from '../external/custom/change-custom-providers.ts'
import {
  deleteCustomProvider,
  listCustomProviders,
  renderCustomProvider,
} from '../external/custom/custom-provider-row.ts'
import { CustomProviderBody } from '../external/custom/parse-custom-provider.ts'
import { BODY_BYTES_MAX } from '../limits.ts'

/** `/admin/custom-providers`: external providers that administrators make. Source: GoTrue API reference. */
export function customProviderRoutes(context: AuthContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    const path = '/admin/custom-providers'
    const params = Type.Object({ identifier: Type.String() })
    const querystring = Type.Object({ type: Type.Optional(Type.String()) })

    app.get(path, { schema: { querystring } }, async (request) => {
      requireAdmin(context, request)
      const { type = '' } = request.query
      if (type !== '' && type !== 'oauth2' && type !== 'oidc') {
        throw validationFailed("type must be either 'oauth2' or 'oidc'")
      }
      const rows = await listCustomProviders(context.pool, type === '' ? undefined : type)
      return { providers: rows.map(renderCustomProvider) }
    })

    const withBody = { schema: { body: CustomProviderBody }, bodyLimit: BODY_BYTES_MAX }
    app.post(path, withBody, async (request, reply) => {
      requireAdmin(context, request)
      return reply.code(201).send(renderCustomProvider(await createCustomProvider(context, request.body)))
    })

    app.get(`${path}/:identifier`, { schema: { params } }, async (request) => {
      requireAdmin(context, request)
      return renderCustomProvider(await requireCustomProvider(context, request.params.identifier))
    })

    const change = { schema: { params, body: CustomProviderBody }, bodyLimit: BODY_BYTES_MAX }
    app.put(`${path}/:identifier`, change, async (request) => {
      requireAdmin(context, request)
      return renderCustomProvider(await changeCustomProvider(context, request.params.identifier, request.body))
    })

    app.delete(`${path}/:identifier`, { schema: { params } }, async (request, reply) => {
      requireAdmin(context, request)
      const { identifier } = await requireCustomProvider(context, request.params.identifier)
      await deleteCustomProvider(context.pool, identifier)
      return reply.code(204).send()
    })
  }
}
