import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { AuthContext } from '../context.ts'
import { parseCodeChallenge } from '../flow-state/flow-state.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { redirectOf } from '../redirects/redirect-of-request.ts'
import { OptionalRecord, OptionalText } from '../request-body.ts'
import { changeUser } from '../account/change-user.ts'
import { renderUser } from '../users/render-user.ts'
import { requirePerson, requireUser } from '../sessions/require-user.ts'

const ChangeUserBody = Type.Object({
  email: OptionalText,
  phone: OptionalText,
  password: OptionalText,
  current_password: OptionalText,
  nonce: OptionalText,
  channel: OptionalText,
  data: OptionalRecord,
  app_metadata: OptionalRecord,
  code_challenge: OptionalText,
  code_challenge_method: OptionalText,
})

/** `GET /user`, `PUT /user`: the signed-in person, and what they change of themselves. Source: GoTrue API reference. */
export function userRoutes(context: AuthContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/user', async (request) => renderUser((await requireUser(context, request)).user))

    app.put('/user', { schema: { body: ChangeUserBody }, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const { body } = request
      const user = await changeUser(context, {
        signer: await requirePerson(context, request),
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
        codeChallenge: parseCodeChallenge(body.code_challenge ?? '', body.code_challenge_method ?? ''),
        redirectTo: redirectOf(request, context.redirects),
        address: request.ip,
      })
      return renderUser(user)
    })
  }
}
