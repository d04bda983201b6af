import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { AuthContext } from '../context.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { OptionalRecord, OptionalText } from '../request-body.ts'
import { changeUser } from '../users/change-user.ts'
import { renderUser } from '../users/render-user.ts'
import { requireUser } from '../users/require-user.ts'

const ChangeUserBody = Type.Object({
  email: OptionalText,
  phone: OptionalText,
  password: OptionalText,
  data: OptionalRecord,
  app_metadata: OptionalRecord,
})

/** `GET /user`, `PUT /user`: the signed-in person, and what they change of themselves. Source: GoTrue API reference. */
export function userRoutes(context: AuthContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/user', async (request) => renderUser((await requireUser(context, request)).user))

    app.put('/user', { schema: { body: ChangeUserBody }, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const { email, phone, password, data, app_metadata: appMetadata } = request.body
      const user = await changeUser(context, {
        signer: await requireUser(context, request),
        changes: {
          email: email || undefined,
          phone: phone || undefined,
          password: password ?? undefined,
          metadata: data ?? undefined,
          appMetadata: appMetadata ?? undefined,
        },
        address: request.ip,
      })
      return renderUser(user)
    })
  }
}
