import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { inviteAccount } from '../admin/invite-account.ts'
import { requireAdmin } from '../admin/require-admin.ts'
import type { AuthContext } from '../context.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { OptionalRecord, OptionalText } from '../request-body.ts'
import { renderUser } from '../users/render-user.ts'

const InviteBody = Type.Object({ email: OptionalText, data: OptionalRecord })
const InviteQuery = Type.Object({ redirect_to: Type.Optional(Type.String()) })

/** `POST /invite?redirect_to=`: invites a person by mail. Source: GoTrue API reference. */
export function inviteRoute(context: AuthContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    const schema = { body: InviteBody, querystring: InviteQuery }
    app.post('/invite', { schema, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const admin = requireAdmin(context, request)
      const user = await inviteAccount(context, {
        email: request.body.email ?? '',
        metadata: request.body.data ?? {},
        redirectTo: context.redirects.choose(request.query.redirect_to, request.headers.referer),
        admin,
        address: request.ip,
      })
      return renderUser(user)
    })
  }
}
