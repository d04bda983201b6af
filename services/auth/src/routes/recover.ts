import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Captcha } from '../captcha/captcha.ts'
import { requestRecovery, type RequestRecoveryNeeds } from '../confirmations/request-recovery.ts'
import { validationFailed } from '../errors.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import type { RedirectPolicy } from '../redirects/redirect-policy.ts'
import { MetaSecurity, OptionalText, CodeChallengeFields } from '../request-body.ts'
import { parseEmail } from '../users/contact.ts'
import { linkTargetOf } from './link-target.ts'

type Needs = RequestRecoveryNeeds & { readonly captcha: Captcha; readonly redirects: RedirectPolicy }

const RecoverBody = Type.Object({
  email: OptionalText,
  ...CodeChallengeFields,
  gotrue_meta_security: MetaSecurity,
})

/** `POST /recover`: a mail for who forgot their password. Source: GoTrue API reference. */
export function recoverRoute(needs: Needs): FastifyPluginAsyncTypebox {
  const { captcha, redirects } = needs
  return async (app) => {
    app.post('/recover', { schema: { body: RecoverBody }, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const { body } = request
      await captcha.require(request)
      if (!body.email) throw validationFailed('Password recovery requires an email')
      await requestRecovery(needs, {
        email: parseEmail(body.email),
        ...linkTargetOf(request, body, redirects),
        address: request.ip,
      })
      return {}
    })
  }
}
