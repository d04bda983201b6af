import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Captcha } from '../captcha/captcha.ts'
import { emailProviderDisabled, phoneFlowsDisabled } from '../confirmations/errors.ts'
import {
  resend,
  type ResendType,
  type ResendNeeds,
  requestRecovery,
  type RequestRecoveryNeeds,
  requestReauthentication,
  type ReauthenticateNeeds,
} from '../confirmations/request-message.ts'
import { validationFailed } from '../errors.ts'
import { parseCodeChallenge } from '../flow-state/flow-state.ts'
import { BODY_BYTES_MAX } from '../limits.ts'
import type { WithOptions } from '../options/auth-options.ts'
import { redirectOf } from '../redirects/redirect-policy.ts'
import { MetaSecurity, OptionalFlag, OptionalRecord, OptionalText, CodeChallengeFields } from '../request-body.ts'
import { originOf } from '../request-origin.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { requestMagicLink, requestPhoneCode, type RequestOtpNeeds } from '../sign-up/request-otp.ts'
import { parseEmail, parsePhone, type Contact } from '../users/contact.ts'
import { linkTargetOf } from './link-target.ts'

type Needs = RequestOtpNeeds &
  RequestRecoveryNeeds &
  ResendNeeds &
  SignInOptions &
  ReauthenticateNeeds & { readonly captcha: Captcha; readonly sessions: Sessions }

const OtpBody = Type.Object({
  email: OptionalText,
  phone: OptionalText,
  create_user: OptionalFlag,
  data: OptionalRecord,
  channel: OptionalText,
  ...CodeChallengeFields,
  gotrue_meta_security: MetaSecurity,
})

/** `POST /otp`: sends a sign-in link and code by mail, or a code by text message. Source: GoTrue API reference. */
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

const RecoverBody = Type.Object({
  email: OptionalText,
  ...CodeChallengeFields,
  gotrue_meta_security: MetaSecurity,
})

/** `POST /recover`: mails a user who forgot the password. Source: GoTrue API reference. */
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

type SignInOptions = WithOptions<'emailEnableSignup' | 'smsEnableSignup'>
const ResendBody = Type.Object({
  type: OptionalText,
  email: OptionalText,
  phone: OptionalText,
  ...CodeChallengeFields,
  gotrue_meta_security: MetaSecurity,
})

/** `POST /resend`: resends the confirmation of an account or a change. Source: GoTrue API reference. */
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

/** `GET /reauthenticate`: sends a code that confirms the user's identity before a password change. Source: GoTrue API reference. */
export function reauthenticateRoute(needs: Needs): FastifyPluginAsyncTypebox {
  const { sessions } = needs
  return async (app) => {
    // This route sends a message, so a `HEAD` request must not trigger it.
    app.get('/reauthenticate', { exposeHeadRoute: false }, async (request) => {
      const { user } = await sessions.requireOwnClient(request)
      return requestReauthentication(needs, { user, address: request.ip })
    })
  }
}
