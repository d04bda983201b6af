import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { changeUser, type ChangeUserNeeds } from '../account/change-user.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import type { RedirectPolicy } from '../redirects/redirect-policy.ts'
import { OptionalRecord, OptionalText, CodeChallengeFields } from '../request-body.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { renderUser } from '../users/render-user.ts'
import { linkTargetOf } from './link-target.ts'

type Needs = ChangeUserNeeds & { readonly redirects: RedirectPolicy; readonly sessions: Sessions }

const ChangeUserBody = Type.Object({
  email: OptionalText,
  phone: OptionalText,
  password: OptionalText,
  current_password: OptionalText,
  nonce: OptionalText,
  channel: OptionalText,
  data: OptionalRecord,
  app_metadata: OptionalRecord,
  ...CodeChallengeFields,
})

/** `GET /user`, `PUT /user`: returns and changes the signed-in user. Source: GoTrue API reference. */
export function userRoutes(needs: Needs): FastifyPluginAsyncTypebox {
  const { redirects, sessions } = needs
  return async (app) => {
    app.get('/user', async (request) => renderUser((await sessions.requireUser(request)).user))

    app.put('/user', { schema: { body: ChangeUserBody }, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const { body } = request
      const user = await changeUser(needs, {
        signer: await sessions.requireOwnClient(request),
        changes: {
          email: body.email || undefined,
          phone: body.phone || undefined,
          password: body.password ?? undefined,
          currentPassword: body.current_password ?? '',
          nonce: body.nonce ?? '',
          channel: body.channel ?? '',
          metadata: body.data ?? undefined,
          appMetadata: body.app_metadata ?? undefined,
        },
        ...linkTargetOf(request, body, redirects),
        address: request.ip,
      })
      return renderUser(user)
    })
  }
}
