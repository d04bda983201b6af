import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { AuthContext } from '../context.ts'
import { unsupportedGrantType } from '../errors.ts'
import { grantByPassword } from '../grants/password-grant.ts'
import { grantByRefreshToken } from '../grants/refresh-token-grant.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { OptionalText } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import { renderSession } from '../sessions/render-session.ts'

const TokenQuery = Type.Object({ grant_type: Type.Optional(Type.String()) })

const TokenBody = Type.Object({
  email: OptionalText,
  phone: OptionalText,
  password: OptionalText,
  refresh_token: OptionalText,
})

/** `POST /token?grant_type=`: tokens for a password or for a refresh token. Source: GoTrue API reference. */
export function tokenRoute(context: AuthContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    const schema = { querystring: TokenQuery, body: TokenBody }
    app.post('/token', { schema, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const { body } = request
      const origin = originOf(request)
      switch (request.query.grant_type) {
        case 'password': {
          context.limits.signIn.take(origin.address)
          const { email, phone, password } = body
          return renderSession(
            await grantByPassword(context, {
              email: email ?? '',
              phone: phone ?? '',
              password: password ?? '',
              origin,
            }),
          )
        }
        case 'refresh_token':
          context.limits.refresh.take(origin.address)
          return renderSession(await grantByRefreshToken(context, { refreshToken: body.refresh_token ?? '', origin }))
        default:
          throw unsupportedGrantType()
      }
    })
  }
}
