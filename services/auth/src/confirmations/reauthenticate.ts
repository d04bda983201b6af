import { recordAudit } from '../audit-log.ts'
import { validationFailed } from '../errors.ts'
import type { Messages } from '../messages/messages.ts'
import { findNewestOneTimeToken, findOneTimeTokenByOtp, type OneTimeToken } from '../one-time-tokens/one-time-tokens.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { RateLimits } from '../rate-limits.ts'
import { isoNow, type Store } from '../store.ts'
import { lockUser, type UserRow } from '../users/user-row.ts'
import { isCodeAttemptLeft, returnCodeAttempt } from './address-limits.ts'
import { emailNotVerifiedYet, phoneNotVerifiedYet, reauthenticationNotValid } from './errors.ts'
import type { MessageAnswer, TokenMessages } from './token-messages.ts'

export type ReauthenticateNeeds = Store &
  WithOptions<'emailOtpExpiry' | 'smsOtpExpiry'> & {
    readonly messages: Messages
    readonly tokenMessages: TokenMessages
    readonly limits: Pick<RateLimits, 'mail' | 'sms'>
  }

/**
 * Sends a code to a person who is signed in, by which they prove that it is still them: to their address, or else to their number.
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
  limits[channel].take(address)
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
 * Whether a code is the one that was sent to prove it is still them. The change that it allows deletes it.
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
