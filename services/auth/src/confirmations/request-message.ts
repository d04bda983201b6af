import type { Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { validationFailed } from '../errors.ts'
import type { Messages } from '../messages/messages.ts'
import { findNewestOneTimeToken, findOneTimeTokenByOtp, type OneTimeToken } from '../one-time-tokens/one-time-tokens.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { RateLimits } from '../rate-limits.ts'
import { isoNow, type Store } from '../store.ts'
import { addressOf, type Contact } from '../users/contact.ts'
import { findUserByContact, lockUser, type UserRow, findUserByEmail } from '../users/user-row.ts'
import { type AddressLimitKind, isCodeAttemptLeft, returnCodeAttempt } from './address-limits.ts'
import { emailProviderDisabled, emailNotVerifiedYet, phoneNotVerifiedYet, reauthenticationNotValid } from './errors.ts'
import { spendMessageTime } from './dummy-work.ts'
import type { LinkTarget, MessageAnswer, TokenMessages } from './token-messages.ts'

export type ResendNeeds = Store & {
  readonly tokenMessages: TokenMessages
  readonly limits: Pick<RateLimits, 'mail' | 'sms'>
}

export type ResendType = 'signup' | 'email_change' | 'sms' | 'phone_change'

/**
 * Resends a pending message. The response is the same for an unknown user and one with nothing pending.
 *
 * @param input.contact - the account's address or number; for a change the current one
 * @param input.address - of the client
 * @throws {HoldfastError} `over_email_send_rate_limit`, `over_sms_send_rate_limit`
 */
export async function resend(
  { pool, clock, limits, tokenMessages }: ResendNeeds,
  input: LinkTarget & { readonly type: ResendType; readonly contact: Contact; readonly address: string },
): Promise<MessageAnswer> {
  const { type, contact, address } = input
  const channel = type === 'signup' || type === 'email_change' ? 'mail' : 'sms'
  await limits[channel].take(address)
  const now = isoNow(clock)
  return pool.transaction(async (tx) => {
    const kind: AddressLimitKind = type === 'signup' || type === 'sms' ? 'confirmation' : type
    await tokenMessages.count(tx, channel, { address: addressOf(contact), kind })
    const user = await findUserByContact(tx, contact)
    if (!user || !isWaiting(user, type)) {
      await spendMessageTime(tx)
      return {}
    }
    await lockUser(tx, user.id)
    return sendAgain(tokenMessages, tx, { ...input, user, now })
  })
}

function isWaiting(user: UserRow, type: ResendType): boolean {
  switch (type) {
    case 'signup':
      return Boolean(user.email) && user.email_confirmed_at === null
    case 'sms':
      return Boolean(user.phone) && user.phone_confirmed_at === null
    case 'email_change':
      return Boolean(user.email_change)
    case 'phone_change':
      return Boolean(user.phone_change)
  }
}

async function sendAgain(
  tokenMessages: TokenMessages,
  tx: Transaction,
  input: LinkTarget & {
    readonly type: ResendType
    readonly user: UserRow
    readonly address: string
    readonly now: string
  },
): Promise<MessageAnswer> {
  const { type, user, address, now } = input
  const sms = { user, address, now }
  switch (type) {
    case 'signup':
      await recordAudit(tx, { action: 'user_confirmation_requested', actor: user, address, now })
      await tokenMessages.sendLinkMail(tx, { ...input, purpose: 'signup' })
      return {}
    case 'email_change':
      await tokenMessages.sendEmailChange(tx, { ...input, newEmail: user.email_change ?? '' })
      return {}
    case 'sms':
      await recordAudit(tx, { action: 'user_recovery_requested', actor: user, address, now })
      return tokenMessages.sendPhoneCode(tx, { ...sms, phone: user.phone ?? '', purpose: 'sms', kind: 'confirmation' })
    case 'phone_change': {
      const phone = user.phone_change ?? ''
      return tokenMessages.sendPhoneCode(tx, { ...sms, phone, purpose: 'phone_change', kind: 'phone_change' })
    }
  }
}

export type RequestRecoveryNeeds = Store &
  WithOptions<'emailEnableSignup'> & {
    readonly tokenMessages: TokenMessages
    readonly limits: Pick<RateLimits, 'mail'>
  }

/**
 * Mails a sign-in link and code to a user who forgot the password. Behaves the same for an address without an account, but sends nothing.
 *
 * @param input.email - lowercase
 * @param input.address - of the client
 * @throws {HoldfastError} `email_provider_disabled`, `over_email_send_rate_limit`
 */
export async function requestRecovery(
  { pool, clock, limits, options, tokenMessages }: RequestRecoveryNeeds,
  input: LinkTarget & { readonly email: string; readonly address: string },
): Promise<void> {
  const { email, address } = input
  if (!options.emailEnableSignup) throw emailProviderDisabled('logins', 400)
  await limits.mail.take(address)
  const now = isoNow(clock)
  await pool.transaction(async (tx) => {
    await tokenMessages.count(tx, 'mail', { address: email, kind: 'recovery' })
    const user = await findUserByEmail(tx, email)
    if (!user) {
      await spendMessageTime(tx)
      return
    }
    await lockUser(tx, user.id)
    await recordAudit(tx, { action: 'user_recovery_requested', actor: user, address, now })
    await tokenMessages.sendLinkMail(tx, { ...input, user, purpose: 'recovery', now })
  })
}

export type ReauthenticateNeeds = Store &
  WithOptions<'emailOtpExpiry' | 'smsOtpExpiry'> & {
    readonly messages: Messages
    readonly tokenMessages: TokenMessages
    readonly limits: Pick<RateLimits, 'mail' | 'sms'>
  }

/**
 * Sends a reauthentication code to a signed-in user's address, or to the number if there is no address.
 *
 * @param input.address - of the client
 * @throws {HoldfastError} `validation_failed`, `email_not_confirmed`, `phone_not_confirmed`, `over_email_send_rate_limit`,
 * `over_sms_send_rate_limit`
 */
export async function requestReauthentication(
  { pool, clock, limits, tokenMessages }: ReauthenticateNeeds,
  input: { readonly user: UserRow; readonly address: string },
): Promise<MessageAnswer> {
  const { user, address } = input
  const { email, phone } = user
  if (!email && !phone) {
    throw validationFailed('Reauthentication requires the user to have an email or a phone number')
  }
  if (email && user.email_confirmed_at === null) throw emailNotVerifiedYet()
  if (!email && user.phone_confirmed_at === null) throw phoneNotVerifiedYet()
  const channel = email ? 'mail' : 'sms'
  await limits[channel].take(address)
  const now = isoNow(clock)
  const kind = 'reauthentication'
  return pool.transaction(async (tx) => {
    await tokenMessages.count(tx, channel, { address: email || (phone ?? ''), kind })
    await lockUser(tx, user.id)
    await recordAudit(tx, { action: 'user_reauthenticate_requested', actor: user, address, now })
    if (!email) return tokenMessages.sendPhoneCode(tx, { user, phone: phone ?? '', purpose: kind, kind, address, now })
    await tokenMessages.sendReauthenticationMail(tx, { user, email, address, now })
    return {}
  })
}

/**
 * Checks a reauthentication code. The change that it authorizes deletes the code.
 *
 * @throws {HoldfastError} `reauthentication_not_valid`
 */
export async function requireNonce(needs: ReauthenticateNeeds, user: UserRow, nonce: string): Promise<void> {
  const { pool, clock, options } = needs
  const nowMs = clock.now()
  const relatesTo = user.email || user.phone || ''
  if (!(await isCodeAttemptLeft(pool, { address: relatesTo, nowMs }))) throw reauthenticationNotValid()
  const token = await findNonceToken(needs, user, nonce)
  const lifetimeS = user.email ? options.emailOtpExpiry : options.smsOtpExpiry
  const sentAtMs = user.reauthentication_sent_at?.getTime() ?? 0
  if (token?.user_id !== user.id || sentAtMs + lifetimeS * 1000 < nowMs) throw reauthenticationNotValid()
  await returnCodeAttempt(pool, relatesTo)
}

async function findNonceToken(
  { pool, messages }: ReauthenticateNeeds,
  { email, phone }: UserRow,
  nonce: string,
): Promise<OneTimeToken | undefined> {
  const types = ['reauthentication_token'] as const
  const number = email ? undefined : phone || undefined
  const isApproved =
    number === undefined || messages.testOtp(number) === nonce
      ? undefined
      : await messages.isApprovedElsewhere(number, nonce)
  const relatesTo = email || phone || ''
  if (isApproved === undefined) return findOneTimeTokenByOtp(pool, { relatesTo, otp: nonce, types })
  return isApproved ? findNewestOneTimeToken(pool, { relatesTo, types }) : undefined
}
