import { recordAudit } from '../audit-log.ts'
import { emailProviderDisabled, noSignUpsForOtp, phoneFlowsDisabled } from '../confirmations/errors.ts'
import { spendAccountTime } from '../confirmations/dummy-work.ts'
import type { LinkTarget, MessageAnswer } from '../confirmations/token-messages.ts'
import { signUpDisabled } from '../errors.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { RateLimits } from '../rate-limits.ts'
import type { RedirectPolicy } from '../redirects/redirect-policy.ts'
import type { RequestOrigin } from '../sessions/session-row.ts'
import { isoNow, type Store } from '../store.ts'
import type { UserMetadata } from '../users/user-metadata.ts'
import { findUserByEmail, findUserByPhone, lockUser } from '../users/user-row.ts'
import { retryIfTaken } from './create-user.ts'
import { confirmsItself, prepareUser, register, type RegisterNeeds } from './register.ts'

export type RequestOtpNeeds = Store &
  RegisterNeeds &
  WithOptions<'emailEnableSignup' | 'enableSignup' | 'smsEnableSignup'> & {
    readonly redirects: RedirectPolicy
    readonly limits: Pick<RateLimits, 'mail' | 'sms'>
  }

/**
 * Mails a sign-in link and code. Without an account, creates one and mails its confirmation, whose link signs in too.
 *
 * @param input.email - lowercase
 * @param input.createUser - false to refuse addresses without an account
 * @throws {HoldfastError} `email_provider_disabled`, `otp_disabled`, `signup_disabled`, `over_email_send_rate_limit`
 */
export async function requestMagicLink(
  needs: RequestOtpNeeds,
  input: LinkTarget & {
    readonly email: string
    readonly createUser: boolean
    readonly metadata: UserMetadata
    readonly origin: RequestOrigin
  },
): Promise<MessageAnswer> {
  const { pool, clock, limits, options, tokenMessages } = needs
  const { email, origin } = input
  if (!options.emailEnableSignup) throw emailProviderDisabled('logins', 422)
  await limits.mail.take(origin.address)
  const contact = { provider: 'email', email } as const
  const known = await findUserByEmail(pool, email)
  if (!known && !input.createUser) throw noSignUpsForOtp()
  if (known?.email_confirmed_at) {
    await sendToSignIn()
    return {}
  }
  if (!options.enableSignup) throw signUpDisabled()
  const newUser = prepareUser({ contact, metadata: input.metadata, passwordHash: undefined, now: isoNow(clock) })
  const registration = await retryIfTaken(() =>
    pool.transaction((tx) => register(needs, tx, { ...input, contact, newUser, mailKind: 'recovery' })),
  )
  if (confirmsItself(options, contact) && registration.kind === 'confirmed') await sendToSignIn()
  return {}

  async function sendToSignIn(): Promise<void> {
    const now = isoNow(clock)
    await pool.transaction(async (tx) => {
      await tokenMessages.count(tx, 'mail', { address: email, kind: 'recovery' })
      const user = await findUserByEmail(tx, email)
      if (!user) return
      if (known) await spendAccountTime(tx)
      await lockUser(tx, user.id)
      await recordAudit(tx, { action: 'user_recovery_requested', actor: user, address: origin.address, now })
      await tokenMessages.sendLinkMail(tx, { ...input, user, purpose: 'magiclink', address: origin.address, now })
    })
  }
}

/**
 * Sends a sign-in code to a number. Without an account, creates one that the code confirms.
 *
 * @param input.phone - digits only
 * @param input.createUser - false to refuse numbers without an account
 * @throws {HoldfastError} `phone_provider_disabled`, `otp_disabled`, `signup_disabled`, `validation_failed`, `over_sms_send_rate_limit`
 */
export async function requestPhoneCode(
  needs: RequestOtpNeeds,
  input: {
    readonly phone: string
    readonly createUser: boolean
    readonly metadata: UserMetadata
    readonly channel: string
    readonly origin: RequestOrigin
  },
): Promise<MessageAnswer> {
  const { pool, clock, limits, options, redirects, tokenMessages } = needs
  const { phone, origin } = input
  if (!options.smsEnableSignup) throw phoneFlowsDisabled('Unsupported phone provider')
  const channel = tokenMessages.requireChannel(input.channel)
  await limits.sms.take(origin.address)
  const contact = { provider: 'phone', phone } as const
  const known = await findUserByPhone(pool, phone)
  if (!known && !input.createUser) throw noSignUpsForOtp()
  if (known?.phone_confirmed_at) return sendToSignIn()
  if (!options.enableSignup) throw signUpDisabled()
  const newUser = prepareUser({ contact, metadata: input.metadata, passwordHash: undefined, now: isoNow(clock) })
  const target = { redirectTo: redirects.siteUrl, codeChallenge: undefined }
  const registration = await retryIfTaken(() =>
    pool.transaction((tx) => register(needs, tx, { ...target, contact, newUser, origin, smsChannel: channel })),
  )
  return confirmsItself(options, contact) && registration.kind === 'confirmed' ? sendToSignIn() : {}

  async function sendToSignIn(): Promise<MessageAnswer> {
    const now = isoNow(clock)
    return pool.transaction(async (tx): Promise<MessageAnswer> => {
      await tokenMessages.count(tx, 'sms', { address: phone, kind: 'confirmation' })
      const user = await findUserByPhone(tx, phone)
      if (!user) return {}
      if (known) await spendAccountTime(tx)
      await lockUser(tx, user.id)
      const traits = { channel: input.channel || 'sms' }
      await recordAudit(tx, { action: 'user_recovery_requested', actor: user, address: origin.address, now, traits })
      return tokenMessages.sendPhoneCode(tx, {
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
