import type { Transaction } from '@holdfast/postgres'
import { errorMessage } from '@holdfast/foundation'
import type { AuthContext } from '../context.ts'
import { findUserById, type UserRow } from '../users/user-row.ts'
import type { NoticeKind, NoticeValues } from './messages.ts'

/** The part of the options' names that belongs to a kind of notice: `emailNotification<name>Enabled`, `…Subject`, `…ContentPath`. */
export const NOTICE_OPTIONS = {
  password_changed_notification: 'PasswordChanged',
  email_changed_notification: 'EmailChanged',
  phone_changed_notification: 'PhoneChanged',
  identity_linked_notification: 'IdentityLinked',
  identity_unlinked_notification: 'IdentityUnlinked',
  mfa_factor_enrolled_notification: 'MfaFactorEnrolled',
  mfa_factor_unenrolled_notification: 'MfaFactorUnenrolled',
} as const satisfies Readonly<Record<NoticeKind, string>>

export const NOTICE_KINDS = Object.keys(NOTICE_OPTIONS) as readonly NoticeKind[]

/** A change to the account of `userId` that its owner should hear of. */
export interface Notice extends NoticeValues {
  readonly kind: NoticeKind
  readonly userId: string
  /** Where the mail goes instead of the account's present address. */
  readonly to?: string | undefined
}

/**
 * Writes the mail about a change in the transaction of the change: it leaves only if the change is committed. Nothing happens where the project has not
 * switched the kind on, and for accounts without an address. More than {@link NOTICES_PER_HOUR_MAX} of one account in an hour are not sent; the change
 * never fails for that.
 */
export async function notifyUser(context: AuthContext, tx: Transaction, notice: Notice): Promise<void> {
  const { kind, userId, to, ...values } = notice
  if (!context.options[`emailNotification${NOTICE_OPTIONS[kind]}Enabled`]) return
  const user = await findUserById(tx, userId)
  const recipient = to ?? user?.email ?? ''
  if (!user || recipient === '') return
  try {
    context.limits.notice.take(userId)
  } catch (error) {
    context.logger.log('warn', 'a security notification was not sent', { kind, userId, error: errorMessage(error) })
    return
  }
  await context.messages.sendNotice(tx, { kind, user, to: recipient, values })
}

/** Tells the former address of `before` about the new one. A first address replaces none. */
export async function notifyOfNewEmail(
  context: AuthContext,
  tx: Transaction,
  before: UserRow,
  email: string,
): Promise<void> {
  const oldEmail = before.email ?? ''
  if (oldEmail === '' || oldEmail === email) return
  await notifyUser(context, tx, { kind: 'email_changed_notification', userId: before.id, to: oldEmail, oldEmail })
}

/** Tells a user about a new number, and that it is a new way to sign in when they had none by phone. */
export async function notifyOfNewPhone(
  context: AuthContext,
  tx: Transaction,
  before: UserRow,
  phone: string,
): Promise<void> {
  const oldPhone = before.phone ?? ''
  const userId = before.id
  if (oldPhone !== '' && oldPhone !== phone) {
    await notifyUser(context, tx, { kind: 'phone_changed_notification', userId, oldPhone })
  }
  if (!before.identities.some((identity) => identity.provider === 'phone')) {
    await notifyUser(context, tx, { kind: 'identity_linked_notification', userId, provider: 'phone' })
  }
}
