import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Captcha } from '../captcha/captcha.ts'
import { validationFailed } from '../errors.ts'
import { parseCodeChallenge } from '../flow-state/flow-state.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { redirectOf } from '../redirects/redirect-of-request.ts'
import { MetaSecurity, OptionalRecord, OptionalText } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import { requestMagicLink, type RequestOtpNeeds } from '../sign-up/request-otp.ts'
import { parseEmail } from '../users/contact.ts'

type Needs = RequestOtpNeeds & { readonly captcha: Captcha }

const MagicLinkBody = Type.Object({
  email: OptionalText,
  data: OptionalRecord,
  code_challenge: OptionalText,
  code_challenge_method: OptionalText,
  gotrue_meta_security: MetaSecurity,
})

/** `POST /magiclink`: the mail of `POST /otp`, for older clients. Source: GoTrue API reference. */
export function magicLinkRoute(needs: Needs): FastifyPluginAsyncTypebox {
  const { captcha, redirects } = needs
  return async (app) => {
    app.post('/magiclink', { schema: { body: MagicLinkBody }, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const { body } = request
      const origin = originOf(request)
      await captcha.require(request)
      if (!body.email) throw validationFailed('Password recovery requires an email', 422)
      return requestMagicLink(needs, {
        email: parseEmail(body.email),
        createUser: true,
        metadata: body.data ?? {},
        codeChallenge: parseCodeChallenge(body.code_challenge ?? '', body.code_challenge_method ?? ''),
        redirectTo: redirectOf(request, redirects),
        origin,
      })
    })
  }
}
