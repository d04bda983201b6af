import type { Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import type { RateLimits } from '../rate-limits.ts'
import { isoNow, type Store } from '../store.ts'
import { addressOf, type Contact } from '../users/contact.ts'
import { findUserByContact, lockUser, type UserRow } from '../users/user-row.ts'
import type { AddressLimitKind } from './address-limits.ts'
import { pretendToSend } from './pretend.ts'
import type { LinkTarget, MessageAnswer, TokenMessages } from './token-messages.ts'

export type ResendNeeds = Store & {
  readonly tokenMessages: TokenMessages
  readonly limits: Pick<RateLimits, 'mail' | 'sms'>
}

export type ResendType = 'signup' | 'email_change' | 'sms' | 'phone_change'

/**
 * Sends a message again that a person waits for. For an unknown user, or one who waits for none, the answer is the same.
 *
 * @param input.contact - the address or number of the account; for changes the one that it still has
 * @param input.address - of the client
 * @throws {HoldfastError} `over_email_send_rate_limit`, `over_sms_send_rate_limit`
 */
export async function resend(
  { pool, clock, limits, tokenMessages }: ResendNeeds,
  input: LinkTarget & { readonly type: ResendType; readonly contact: Contact; readonly address: string },
): Promise<MessageAnswer> {
  const { type, contact, address } = input
  const channel = type === 'signup' || type === 'email_change' ? 'mail' : 'sms'
  limits[channel].take(address)
  const now = isoNow(clock)
  return pool.transaction(async (tx) => {
    const kind: AddressLimitKind = type === 'signup' || type === 'sms' ? 'confirmation' : type
    await tokenMessages.count(tx, channel, { address: addressOf(contact), kind })
    const user = await findUserByContact(tx, contact)
    if (!user || !isWaiting(user, type)) {
      await pretendToSend(tx)
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
