import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Captcha } from '../captcha/captcha.ts'
import { anonymousProviderDisabled } from '../errors.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { RateLimits } from '../rate-limits.ts'
import type { RedirectPolicy } from '../redirects/redirect-policy.ts'
import { MetaSecurity, OptionalRecord, OptionalText, CodeChallengeFields } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import { renderSession } from '../sessions/render-session.ts'
import { signUp, type SignUpNeeds, signUpAnonymously, type SignUpAnonymouslyNeeds } from '../sign-up/sign-up.ts'
import { linkTargetOf } from './link-target.ts'

type Needs = SignUpAnonymouslyNeeds &
  SignUpNeeds &
  WithOptions<'enableAnonymousSignIns'> & {
    readonly captcha: Captcha
    readonly redirects: RedirectPolicy
    readonly limits: Pick<RateLimits, 'anonymous' | 'signIn'>
  }

const SignUpBody = Type.Object({
  email: OptionalText,
  phone: OptionalText,
  password: OptionalText,
  channel: OptionalText,
  data: OptionalRecord,
  ...CodeChallengeFields,
  gotrue_meta_security: MetaSecurity,
})

/** `POST /signup`: creates an account, which is anonymous without an address or number. Source: GoTrue API reference. */
export function signUpRoute(needs: Needs): FastifyPluginAsyncTypebox {
  const { captcha, limits, options, redirects } = needs
  return async (app) => {
    app.post('/signup', { schema: { body: SignUpBody }, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const { email, phone, password, data, ...body } = request.body
      const origin = originOf(request)
      if (!email && !phone) {
        if (!options.enableAnonymousSignIns) throw anonymousProviderDisabled()
        await limits.anonymous.take(origin.address)
        await captcha.require(request)
        return renderSession(await signUpAnonymously(needs, { metadata: data ?? {}, origin }))
      }
      await limits.signIn.take(origin.address)
      await captcha.require(request)
      const outcome = await signUp(needs, {
        email: email ?? '',
        phone: phone ?? '',
        password: password ?? '',
        channel: body.channel ?? '',
        metadata: data ?? {},
        ...linkTargetOf(request, body, redirects),
        origin,
      })
      return outcome.kind === 'signed-in' ? renderSession(outcome.signedIn) : outcome.user
    })
  }
}
