import type { Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import type { AuthContext } from '../context.ts'
import type { Contact } from '../users/contact.ts'
import { findUserByEmail, findUserByPhone, lockUser, type UserRow } from '../users/user-row.ts'
import type { AddressLimitKind } from './address-limits.ts'
import { pretendToSend } from './pretend.ts'
import {
  countMail,
  countSms,
  type LinkTarget,
  sendEmailChange,
  sendLinkMail,
  sendPhoneCode,
  type MessageAnswer,
} from './send-token.ts'

export type ResendType = 'signup' | 'email_change' | 'sms' | 'phone_change'

/**
 * Sends a message again that a person waits for. For an unknown user, or one who waits for none, the answer is the same.
 *
 * @param input.contact - the address or number of the account; for changes the one that it still has
 * @param input.address - of the client
 * @throws {HoldfastError} `over_email_send_rate_limit`, `over_sms_send_rate_limit`
 */
export async function resend(
  context: AuthContext,
  input: LinkTarget & { readonly type: ResendType; readonly contact: Contact; readonly address: string },
): Promise<MessageAnswer> {
  const { type, contact, address } = input
  const isMail = type === 'signup' || type === 'email_change'
  if (isMail) context.limits.mail.take(address)
  else context.limits.sms.take(address)
  const now = new Date(context.clock.now()).toISOString()
  return context.pool.transaction(async (tx) => {
    const kind: AddressLimitKind = type === 'signup' || type === 'sms' ? 'confirmation' : type
    const counted = { address: contact.provider === 'email' ? contact.email : contact.phone, kind }
    if (isMail) await countMail(context, tx, counted)
    else await countSms(context, tx, counted)
    const user =
      contact.provider === 'email' ? await findUserByEmail(tx, contact.email) : await findUserByPhone(tx, contact.phone)
    if (!user || !isWaiting(user, type)) {
      await pretendToSend(tx)
      return {}
    }
    await lockUser(tx, user.id)
    return sendAgain(context, tx, { ...input, user, now })
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
  context: AuthContext,
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
      await sendLinkMail(context, tx, { ...input, purpose: 'signup' })
      return {}
    case 'email_change':
      await sendEmailChange(context, tx, { ...input, newEmail: user.email_change ?? '' })
      return {}
    case 'sms':
      await recordAudit(tx, { action: 'user_recovery_requested', actor: user, address, now })
      return sendPhoneCode(context, tx, { ...sms, phone: user.phone ?? '', purpose: 'sms', kind: 'confirmation' })
    case 'phone_change': {
      const phone = user.phone_change ?? ''
      return sendPhoneCode(context, tx, { ...sms, phone, purpose: 'phone_change', kind: 'phone_change' })
    }
  }
}
