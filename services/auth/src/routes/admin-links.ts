import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { generateLink, type GenerateLinkNeeds } from '../admin/generate-link.ts'
import { inviteAccount, type InviteAccountNeeds } from '../admin/invite-account.ts'
import type { RequireAdmin } from '../admin/require-admin.ts'
import { BODY_BYTES_MAX, SUPPORT_SESSION_S_MAX, SUPPORT_SESSION_S_MIN } from '../limits.ts'
import type { RedirectPolicy } from '../redirects/redirect-policy.ts'
import { OptionalRecord, OptionalText } from '../request-body.ts'
import { renderUser } from '../users/render-user.ts'

type Needs = GenerateLinkNeeds &
  InviteAccountNeeds & { readonly redirects: RedirectPolicy; readonly requireAdmin: RequireAdmin }

const InviteBody = Type.Object({ email: OptionalText, data: OptionalRecord })
const InviteQuery = Type.Object({ redirect_to: Type.Optional(Type.String()) })

/** `POST /invite?redirect_to=`: invites a user by mail. Source: GoTrue API reference. */
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

const GenerateLinkBody = Type.Object({
  type: OptionalText,
  email: OptionalText,
  new_email: OptionalText,
  password: OptionalText,
  data: OptionalRecord,
  redirect_to: OptionalText,
  /** Holdfast's own: makes a support link, whose session ends after these seconds. */
  support_seconds: Type.Optional(Type.Integer({ minimum: SUPPORT_SESSION_S_MIN, maximum: SUPPORT_SESSION_S_MAX })),
})
const GenerateLinkQuery = Type.Object({ redirect_to: Type.Optional(Type.String()) })

/** `POST /admin/generate_link`: creates a link for delivery other than by mail. Source: GoTrue API reference. */
export function generateLinkRoute(needs: Needs): FastifyPluginAsyncTypebox {
  const { redirects, requireAdmin } = needs
  return async (app) => {
    const schema = { body: GenerateLinkBody, querystring: GenerateLinkQuery }
    app.post('/admin/generate_link', { schema, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const admin = requireAdmin(request)
      const { body, query, headers } = request
      const link = await generateLink(needs, {
        request: {
          type: body.type ?? '',
          email: body.email ?? '',
          newEmail: body.new_email ?? '',
          password: body.password ?? '',
          metadata: body.data ?? {},
          redirectTo: redirects.choose(body.redirect_to ?? undefined, query.redirect_to, headers.referer),
          supportSeconds: body.support_seconds,
        },
        admin,
        address: request.ip,
      })
      return {
        ...renderUser(link.user),
        action_link: link.actionLink,
        email_otp: link.token.otp,
        hashed_token: link.token.tokenHash,
        verification_type: link.verificationType,
        redirect_to: link.redirectTo,
      }
    })
  }
}
