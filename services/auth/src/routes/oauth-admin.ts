import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { addPageHeaders, parsePage } from '../admin/pagination.ts'
import type { RequireAdmin } from '../admin/require-admin.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { ClientBody } from '../oauth-server/client-metadata.ts'
import { renderClient } from '../oauth-server/client-row.ts'
import {
  changeClient,
  deleteClient,
  listClients,
  regenerateSecret,
  registerClient,
  requireClient,
} from '../oauth-server/clients.ts'
import { oauthServerDisabled } from '../oauth-server/errors.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { Store } from '../store.ts'

type Needs = Store & WithOptions<'oauthServerEnabled'> & { readonly requireAdmin: RequireAdmin }

const ListQuery = Type.Object({ page: Type.Optional(Type.String()), per_page: Type.Optional(Type.String()) })
const ClientParams = Type.Object({ client_id: Type.String() })

/** `/admin/oauth/clients`: apps whose users sign in with their account here. Source: auth-js's `GoTrueAdminApi`. */
export function oauthAdminRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { pool, options, requireAdmin } = needs
  return async (app) => {
    app.addHook('preHandler', async (request) => {
      requireAdmin(request)
      if (!options.oauthServerEnabled) throw oauthServerDisabled()
    })

    app.get('/admin/oauth/clients', { schema: { querystring: ListQuery } }, async (request, reply) => {
      const page = parsePage(request.query)
      const { clients, total } = await listClients(pool, page)
      addPageHeaders(reply, request.url, page, total)
      return { clients: clients.map((client) => renderClient(client)), aud: 'authenticated' }
    })

    const createSchema = { body: ClientBody }
    app.post('/admin/oauth/clients', { schema: createSchema, bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
      const { client, secret } = await registerClient(needs, { metadata: request.body, registration: 'manual' })
      return reply.code(201).send(renderClient(client, secret))
    })

    app.get('/admin/oauth/clients/:client_id', { schema: { params: ClientParams } }, async (request) =>
      renderClient(await requireClient(pool, request.params.client_id)),
    )

    const changeSchema = { params: ClientParams, body: ClientBody }
    app.put('/admin/oauth/clients/:client_id', { schema: changeSchema, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const { client_id: clientId } = request.params
      return renderClient(await changeClient(needs, { clientId, metadata: request.body }))
    })

    app.delete('/admin/oauth/clients/:client_id', { schema: { params: ClientParams } }, async (request, reply) => {
      await deleteClient(needs, request.params.client_id)
      return reply.code(204).send()
    })

    const secretSchema = { params: ClientParams }
    app.post('/admin/oauth/clients/:client_id/regenerate_secret', { schema: secretSchema }, async (request) => {
      const { client, secret } = await regenerateSecret(needs, request.params.client_id)
      return renderClient(client, secret)
    })
  }
}
