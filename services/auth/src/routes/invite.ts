import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { inviteAccount, type InviteAccountNeeds } from '../admin/invite-account.ts'
import type { RequireAdmin } from '../admin/require-admin.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import type { RedirectPolicy } from '../redirects/redirect-policy.ts'
import { OptionalRecord, OptionalText } from '../request-body.ts'
import { renderUser } from '../users/render-user.ts'

type Needs = InviteAccountNeeds & { readonly redirects: RedirectPolicy; readonly requireAdmin: RequireAdmin }

const InviteBody = Type.Object({ email: OptionalText, data: OptionalRecord })
const InviteQuery = Type.Object({ redirect_to: Type.Optional(Type.String()) })

/** `POST /invite?redirect_to=`: invites a person by mail. Source: GoTrue API reference. */
export function inviteRoute(needs: Needs): FastifyPluginAsyncTypebox {
  const { redirects, requireAdmin } = needs
  return async (app) => {
    const schema = { body: InviteBody, querystring: InviteQuery }
    app.post('/invite', { schema, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const admin = requireAdmin(request)
      const user = await inviteAccount(needs, {
        email: request.body.email ?? '',
        metadata: request.body.data ?? {},
        redirectTo: redirects.choose(request.query.redirect_to, request.headers.referer),
        admin,
        address: request.ip,
      })
      return renderUser(user)
    })
  }
}
