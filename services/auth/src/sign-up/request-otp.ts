import { recordAudit } from '../audit-log.ts'
import { emailProviderDisabled, noSignUpsForOtp, phoneFlowsDisabled } from '../confirmations/errors.ts'
import { pretendToCreate } from '../confirmations/pretend.ts'
import { requireChannel } from '../confirmations/require-channel.ts'
import {
  countMail,
  countSms,
  type LinkTarget,
  type MessageAnswer,
  sendLinkMail,
  sendPhoneCode,
} from '../confirmations/send-token.ts'
import type { AuthContext } from '../context.ts'
import { signUpDisabled } from '../errors.ts'
import type { RequestOrigin } from '../sessions/session-row.ts'
import type { UserMetadata } from '../users/user-metadata.ts'
import { findUserByEmail, findUserByPhone, lockUser } from '../users/user-row.ts'
import { confirmsItself, prepareUser, register, registering } from './register.ts'

/**
 * Mails a link and a code to sign in with. Who has no account gets one, and the mail that confirms it: its link signs in as well.
 *
 * @param input.email - in lower case
 * @param input.createUser - false refuses who has no account
 * @throws {HoldfastError} `email_provider_disabled`, `otp_disabled`, `signup_disabled`, `over_email_send_rate_limit`
 */
export async function requestMagicLink(
  context: AuthContext,
  input: LinkTarget & {
    readonly email: string
    readonly createUser: boolean
    readonly metadata: UserMetadata
    readonly origin: RequestOrigin
  },
): Promise<MessageAnswer> {
  const { email, origin } = input
  const { options, limits, pool, clock } = context
  if (!options.emailEnableSignup) throw emailProviderDisabled('logins', 422)
  limits.mail.take(origin.address)
  const contact = { provider: 'email', email } as const
  const known = await findUserByEmail(pool, email)
  if (!known && !input.createUser) throw noSignUpsForOtp()
  if (known?.email_confirmed_at) {
    await sendToSignIn()
    return {}
  }
  if (!options.enableSignup) throw signUpDisabled()
  const newUser = prepareUser(context, { contact, metadata: input.metadata, passwordHash: undefined })
  const registration = await registering(context, (tx) =>
    register(context, tx, { ...input, contact, newUser, mailKind: 'recovery' }),
  )
  if (confirmsItself(context, contact) && registration.kind === 'confirmed') await sendToSignIn()
  return {}

  async function sendToSignIn(): Promise<void> {
    const now = new Date(clock.now()).toISOString()
    await pool.transaction(async (tx) => {
      await countMail(context, tx, { address: email, kind: 'recovery' })
      const user = await findUserByEmail(tx, email)
      if (!user) return
      if (known) await pretendToCreate(tx)
      await lockUser(tx, user.id)
      await recordAudit(tx, { action: 'user_recovery_requested', actor: user, address: origin.address, now })
      await sendLinkMail(context, tx, { ...input, user, purpose: 'magiclink', address: origin.address, now })
    })
  }
}

/**
 * Sends a code to a number to sign in with. Who has no account gets one, which the code confirms.
 *
 * @param input.phone - digits only
 * @param input.createUser - false refuses who has no account
 * @throws {HoldfastError} `phone_provider_disabled`, `otp_disabled`, `signup_disabled`, `validation_failed`, `over_sms_send_rate_limit`
 */
export async function requestPhoneCode(
  context: AuthContext,
  input: {
    readonly phone: string
    readonly createUser: boolean
    readonly metadata: UserMetadata
    readonly channel: string
    readonly origin: RequestOrigin
  },
): Promise<MessageAnswer> {
  const { phone, origin } = input
  const { options, limits, pool, clock } = context
  if (!options.smsEnableSignup) throw phoneFlowsDisabled('Unsupported phone provider')
  const channel = requireChannel(context, input.channel)
  limits.sms.take(origin.address)
  const contact = { provider: 'phone', phone } as const
  const known = await findUserByPhone(pool, phone)
  if (!known && !input.createUser) throw noSignUpsForOtp()
  if (known?.phone_confirmed_at) return sendToSignIn()
  if (!options.enableSignup) throw signUpDisabled()
  const newUser = prepareUser(context, { contact, metadata: input.metadata, passwordHash: undefined })
  const target = { redirectTo: context.redirects.siteUrl, codeChallenge: undefined }
  const registration = await registering(context, (tx) =>
    register(context, tx, { ...target, contact, newUser, origin, smsChannel: channel }),
  )
  return confirmsItself(context, contact) && registration.kind === 'confirmed' ? sendToSignIn() : {}

  async function sendToSignIn(): Promise<MessageAnswer> {
    const now = new Date(clock.now()).toISOString()
    return pool.transaction(async (tx): Promise<MessageAnswer> => {
      await countSms(context, tx, { address: phone, kind: 'confirmation' })
      const user = await findUserByPhone(tx, phone)
      if (!user) return {}
      if (known) await pretendToCreate(tx)
      await lockUser(tx, user.id)
      const traits = { channel: input.channel || 'sms' }
      await recordAudit(tx, { action: 'user_recovery_requested', actor: user, address: origin.address, now, traits })
      return sendPhoneCode(context, tx, {
        user,
        phone,
        purpose: 'sms',
        kind: 'magic_link',
        channel,
        address: origin.address,
        now,
      })
    })
  }
}
