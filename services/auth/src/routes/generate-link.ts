import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { generateLink } from '../admin/generate-link.ts'
import { requireAdmin } from '../admin/require-admin.ts'
import type { AuthContext } from '../context.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { OptionalRecord, OptionalText } from '../request-body.ts'
import { renderUser } from '../users/render-user.ts'

const GenerateLinkBody = Type.Object({
  type: OptionalText,
  email: OptionalText,
  new_email: OptionalText,
  password: OptionalText,
  data: OptionalRecord,
  redirect_to: OptionalText,
})
const GenerateLinkQuery = Type.Object({ redirect_to: Type.Optional(Type.String()) })

/** `POST /admin/generate_link`: a link that is usually mailed, for whoever delivers it otherwise. Source: GoTrue API reference. */
export function generateLinkRoute(context: AuthContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    const schema = { body: GenerateLinkBody, querystring: GenerateLinkQuery }
    app.post('/admin/generate_link', { schema, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const admin = requireAdmin(context, request)
      const { body, query, headers } = request
      const link = await generateLink(context, {
        request: {
          type: body.type ?? '',
          email: body.email ?? '',
          newEmail: body.new_email ?? '',
          password: body.password ?? '',
          metadata: body.data ?? {},
          redirectTo: context.redirects.choose(body.redirect_to ?? undefined, query.redirect_to, headers.referer),
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
