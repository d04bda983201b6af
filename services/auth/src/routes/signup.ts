import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { AuthContext } from '../context.ts'
import { anonymousProviderDisabled } from '../errors.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { OptionalRecord, OptionalText } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import { renderSession } from '../sessions/render-session.ts'
import { signUp } from '../users/sign-up.ts'

const SignUpBody = Type.Object({
  email: OptionalText,
  phone: OptionalText,
  password: OptionalText,
  data: OptionalRecord,
})

/** `POST /signup`: a new account. A body without an address or number asks for an anonymous one. Source: GoTrue API reference. */
export function signUpRoute(context: AuthContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/signup', { schema: { body: SignUpBody }, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const { email, phone, password, data } = request.body
      if (!email && !phone) throw anonymousProviderDisabled()
      const origin = originOf(request)
      context.limits.signIn.take(origin.address)
      const outcome = await signUp(context, {
        email: email ?? '',
        phone: phone ?? '',
        password: password ?? '',
        metadata: data ?? {},
        origin,
      })
      return outcome.kind === 'signed-in' ? renderSession(outcome.signedIn) : outcome.user
    })
  }
}
