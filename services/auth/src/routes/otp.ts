import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Captcha } from '../captcha/captcha.ts'
import { validationFailed } from '../errors.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { MetaSecurity, OptionalFlag, OptionalRecord, OptionalText, CodeChallengeFields } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import { requestMagicLink, requestPhoneCode, type RequestOtpNeeds } from '../sign-up/request-otp.ts'
import { parseEmail, parsePhone } from '../users/contact.ts'
import { linkTargetOf } from './link-target.ts'

type Needs = RequestOtpNeeds & { readonly captcha: Captcha }

const OtpBody = Type.Object({
  email: OptionalText,
  phone: OptionalText,
  create_user: OptionalFlag,
  data: OptionalRecord,
  channel: OptionalText,
  ...CodeChallengeFields,
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
      const target = linkTargetOf(request, body, redirects)
      const common = { createUser: body.create_user ?? true, metadata: data ?? {}, origin }
      if (email) return requestMagicLink(needs, { ...common, ...target, email: parseEmail(email) })
      if (phone) return requestPhoneCode(needs, { ...common, phone: parsePhone(phone), channel: channel ?? '' })
      throw validationFailed('One of email or phone must be set')
    })
  }
}
