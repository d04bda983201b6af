import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Captcha } from '../captcha/captcha.ts'
import { validationFailed } from '../errors.ts'
import { parseCodeChallenge } from '../flow-state/flow-state.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { redirectOf } from '../redirects/redirect-of-request.ts'
import { MetaSecurity, OptionalFlag, OptionalRecord, OptionalText } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import { requestMagicLink, requestPhoneCode, type RequestOtpNeeds } from '../sign-up/request-otp.ts'
import { parseEmail, parsePhone } from '../users/contact.ts'

type Needs = RequestOtpNeeds & { readonly captcha: Captcha }

const OtpBody = Type.Object({
  email: OptionalText,
  phone: OptionalText,
  create_user: OptionalFlag,
  data: OptionalRecord,
  channel: OptionalText,
  code_challenge: OptionalText,
  code_challenge_method: OptionalText,
  gotrue_meta_security: MetaSecurity,
})

/** `POST /otp`: a link and a code by mail, or a code by text message, to sign in with. Source: GoTrue API reference. */
export function otpRoute(needs: Needs): FastifyPluginAsyncTypebox {
  const { captcha, redirects } = needs
  return async (app) => {
    app.post('/otp', { schema: { body: OtpBody }, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const { email, phone, channel, data, ...body } = request.body
      const origin = originOf(request)
      await captcha.require(request)
      if (email && phone) throw validationFailed('Only an email address or phone number should be provided')
      if (email && channel) throw validationFailed('Channel should only be specified with Phone OTP')
      const codeChallenge = parseCodeChallenge(body.code_challenge ?? '', body.code_challenge_method ?? '')
      const common = { createUser: body.create_user ?? true, metadata: data ?? {}, origin }
      if (email) {
        const redirectTo = redirectOf(request, redirects)
        return requestMagicLink(needs, { ...common, email: parseEmail(email), redirectTo, codeChallenge })
      }
      if (phone) return requestPhoneCode(needs, { ...common, phone: parsePhone(phone), channel: channel ?? '' })
      throw validationFailed('One of email or phone must be set')
    })
  }
}
