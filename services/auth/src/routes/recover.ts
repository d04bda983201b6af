import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Captcha } from '../captcha/captcha.ts'
import { requestRecovery, type RequestRecoveryNeeds } from '../confirmations/request-recovery.ts'
import { validationFailed } from '../errors.ts'
import { parseCodeChallenge } from '../flow-state/flow-state.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import { redirectOf } from '../redirects/redirect-of-request.ts'
import type { RedirectPolicy } from '../redirects/redirect-policy.ts'
import { MetaSecurity, OptionalText } from '../request-body.ts'
import { parseEmail } from '../users/contact.ts'

type Needs = RequestRecoveryNeeds & { readonly captcha: Captcha; readonly redirects: RedirectPolicy }

const RecoverBody = Type.Object({
  email: OptionalText,
  code_challenge: OptionalText,
  code_challenge_method: OptionalText,
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
        codeChallenge: parseCodeChallenge(body.code_challenge ?? '', body.code_challenge_method ?? ''),
        redirectTo: redirectOf(request, redirects),
        address: request.ip,
      })
      return {}
    })
  }
}
