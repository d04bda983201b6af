import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Captcha } from '../captcha/captcha.ts'
import { emailProviderDisabled, phoneFlowsDisabled } from '../confirmations/errors.ts'
import { resend, type ResendType, type ResendNeeds } from '../confirmations/resend.ts'
import { validationFailed } from '../errors.ts'
import { parseCodeChallenge } from '../flow-state/flow-state.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import type { WithOptions } from '../options/auth-options.ts'
import { type RedirectPolicy, redirectOf } from '../redirects/redirect-policy.ts'
import { MetaSecurity, OptionalText, CodeChallengeFields } from '../request-body.ts'
import { type Contact, parseEmail, parsePhone } from '../users/contact.ts'

type SignInOptions = WithOptions<'emailEnableSignup' | 'smsEnableSignup'>
type Needs = ResendNeeds & SignInOptions & { readonly captcha: Captcha; readonly redirects: RedirectPolicy }

const ResendBody = Type.Object({
  type: OptionalText,
  email: OptionalText,
  phone: OptionalText,
  ...CodeChallengeFields,
  gotrue_meta_security: MetaSecurity,
})

/** `POST /resend`: once more the message that confirms an account or a change. Source: GoTrue API reference. */
export function resendRoute(needs: Needs): FastifyPluginAsyncTypebox {
  const { captcha, redirects } = needs
  return async (app) => {
    app.post('/resend', { schema: { body: ResendBody }, bodyLimit: BODY_BYTES_MAX }, async (request) => {
      const { body } = request
      await captcha.require(request)
      const type = parseType(body.type ?? '')
      const isMail = type === 'signup' || type === 'email_change'
      return resend(needs, {
        type,
        codeChallenge: isMail
          ? parseCodeChallenge(body.code_challenge ?? '', body.code_challenge_method ?? '')
          : undefined,
        contact: parseContact(needs, type, body.email ?? '', body.phone ?? ''),
        redirectTo: redirectOf(request, redirects),
        address: request.ip,
      })
    })
  }
}

function parseType(text: string): ResendType {
  if (text === 'signup' || text === 'email_change' || text === 'sms' || text === 'phone_change') return text
  throw validationFailed('Missing one of these types: signup, email_change, sms, phone_change')
}

function parseContact({ options }: SignInOptions, type: ResendType, email: string, phone: string): Contact {
  if (email === '' && type === 'signup') throw validationFailed('Type provided requires an email address')
  if (phone === '' && type === 'sms') throw validationFailed('Type provided requires a phone number')
  if (email !== '' && phone !== '') {
    throw validationFailed('Only an email address or phone number should be provided.')
  }
  if (email !== '') {
    if (!options.emailEnableSignup) throw emailProviderDisabled('logins', 400)
    return { provider: 'email', email: parseEmail(email) }
  }
  if (phone === '') throw validationFailed('Missing email address or phone number')
  if (!options.smsEnableSignup) throw phoneFlowsDisabled('Phone logins are disabled')
  return { provider: 'phone', phone: parsePhone(phone) }
}
