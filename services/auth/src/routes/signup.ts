import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { requireCaptcha } from '../captcha/require-captcha.ts'
import type { AuthContext } from '../context.ts'
import { anonymousProviderDisabled } from '../errors.ts'
import { parseCodeChallenge } from '../flow-state/flow-state.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { redirectOf } from '../redirects/redirect-of-request.ts'
import { MetaSecurity, OptionalRecord, OptionalText } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import { renderSession } from '../sessions/render-session.ts'
import { signUp } from '../sign-up/sign-up.ts'
import { signUpAnonymously } from '../sign-up/sign-up-anonymously.ts'

const SignUpBody = Type.Object({
  email: OptionalText,
  phone: OptionalText,
  password: OptionalText,
  channel: OptionalText,
  data: OptionalRecord,
  code_challenge: OptionalText,
  code_challenge_method: OptionalText,
  gotrue_meta_security: MetaSecurity,
})

/** `POST /signup`: a new account. A body without an address or number asks for an anonymous one. Source: GoTrue API reference. */
export function signUpRoute(context: AuthContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/signup', { schema: { body: SignUpBody }, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const { email, phone, password, data, ...body } = request.body
      const origin = originOf(request)
      if (!email && !phone) {
        if (!context.options.enableAnonymousSignIns) throw anonymousProviderDisabled()
        context.limits.anonymous.take(origin.address)
        await requireCaptcha(context, request)
        return renderSession(await signUpAnonymously(context, { metadata: data ?? {}, origin }))
      }
      context.limits.signIn.take(origin.address)
      await requireCaptcha(context, request)
      const outcome = await signUp(context, {
        email: email ?? '',
        phone: phone ?? '',
        password: password ?? '',
        channel: body.channel ?? '',
        metadata: data ?? {},
        codeChallenge: parseCodeChallenge(body.code_challenge ?? '', body.code_challenge_method ?? ''),
        redirectTo: redirectOf(request, context.redirects),
        origin,
      })
      return outcome.kind === 'signed-in' ? renderSession(outcome.signedIn) : outcome.user
    })
  }
}
