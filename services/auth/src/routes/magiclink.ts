import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { requestMagicLink } from '../sign-up/request-otp.ts'
import { requireCaptcha } from '../captcha/require-captcha.ts'
import type { AuthContext } from '../context.ts'
import { validationFailed } from '../errors.ts'
import { parseCodeChallenge } from '../flow-state/flow-state.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { redirectOf } from '../redirects/redirect-of-request.ts'
import { MetaSecurity, OptionalRecord, OptionalText } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import { parseEmail } from '../users/contact.ts'

const MagicLinkBody = Type.Object({
  email: OptionalText,
  data: OptionalRecord,
  code_challenge: OptionalText,
  code_challenge_method: OptionalText,
  gotrue_meta_security: MetaSecurity,
})

/** `POST /magiclink`: the mail of `POST /otp`, for older clients. Source: GoTrue API reference. */
export function magicLinkRoute(context: AuthContext): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/magiclink', { schema: { body: MagicLinkBody }, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const { body } = request
      const origin = originOf(request)
      await requireCaptcha(context, request)
      if (!body.email) throw validationFailed('Password recovery requires an email', 422)
      return requestMagicLink(context, {
        email: parseEmail(body.email),
        createUser: true,
        metadata: body.data ?? {},
        codeChallenge: parseCodeChallenge(body.code_challenge ?? '', body.code_challenge_method ?? ''),
        redirectTo: redirectOf(request, context.redirects),
        origin,
      })
    })
  }
}
