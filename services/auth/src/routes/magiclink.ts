import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Captcha } from '../captcha/captcha.ts'
import { validationFailed } from '../errors.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { MetaSecurity, OptionalRecord, OptionalText, CodeChallengeFields } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import { requestMagicLink, type RequestOtpNeeds } from '../sign-up/request-otp.ts'
import { parseEmail } from '../users/contact.ts'
import { linkTargetOf } from './link-target.ts'

type Needs = RequestOtpNeeds & { readonly captcha: Captcha }

const MagicLinkBody = Type.Object({
  email: OptionalText,
  data: OptionalRecord,
  ...CodeChallengeFields,
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
        ...linkTargetOf(request, body, redirects),
        origin,
      })
    })
  }
}
