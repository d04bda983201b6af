import { errorMessage, type Logger } from '@holdfast/foundation'
import type { Transaction } from '@holdfast/postgres'
import type { WithOptions } from '../options/auth-options.ts'
import type { RateLimits } from '../rate-limits.ts'
import { findUserById, type UserRow } from '../users/user-row.ts'
import type { Messages, NoticeKind, NoticeValues } from './messages.ts'

/** Part of the option names per notice kind: `emailNotification<name>Enabled`, `…Subject`, `…ContentPath`. */
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

/** A change to the account `userId` that its owner should know about. */
export interface Notice extends NoticeValues {
  readonly kind: NoticeKind
  readonly userId: string
  /** Recipient, if not the account's current address. */
  readonly to?: string | undefined
}

/** Queues mails about account changes in the transaction of the change. */
export interface Notices {
  /**
   * Queues a mail about a change; it is sent only if the change commits. Does nothing if the project has not enabled the kind, for accounts
   * without an address, and beyond {@link NOTICES_PER_HOUR_MAX} per account and hour. The change never fails because of the mail.
   */
  notifyUser(tx: Transaction, notice: Notice): Promise<void>
  /** Notifies the former address of `before` about the new one, if there was a former one. */
  notifyOfNewEmail(tx: Transaction, before: UserRow, email: string): Promise<void>
  /** Notifies a user about a new number, also as a new way to sign in if the account had no number. */
  notifyOfNewPhone(tx: Transaction, before: UserRow, phone: string): Promise<void>
}

type NoticeSwitch = `emailNotification${(typeof NOTICE_OPTIONS)[NoticeKind]}Enabled`

export function createNotices(
  needs: WithOptions<NoticeSwitch> & {
    readonly limits: Pick<RateLimits, 'notice'>
    readonly messages: Pick<Messages, 'sendNotice'>
    readonly logger: Logger
  },
): Notices {
  const { options, limits, messages, logger } = needs

  async function notifyUser(tx: Transaction, notice: Notice): Promise<void> {
    const { kind, userId, to, ...values } = notice
    if (!options[`emailNotification${NOTICE_OPTIONS[kind]}Enabled`]) return
    const user = await findUserById(tx, userId)
    const recipient = to ?? user?.email ?? ''
    if (!user || recipient === '') return
    try {
      await limits.notice.take(userId)
    } catch (error) {
      logger.log('warn', 'a security notification was not sent', { kind, userId, error: errorMessage(error) })
      return
    }
    await messages.sendNotice(tx, { kind, user, to: recipient, values })
  }

  return {
    notifyUser,
    async notifyOfNewEmail(tx, before, email) {
      const oldEmail = before.email ?? ''
      if (oldEmail === '' || oldEmail === email) return
      await notifyUser(tx, { kind: 'email_changed_notification', userId: before.id, to: oldEmail, oldEmail })
    },
    async notifyOfNewPhone(tx, before, phone) {
      const oldPhone = before.phone ?? ''
      const userId = before.id
      if (oldPhone !== '' && oldPhone !== phone) {
        await notifyUser(tx, { kind: 'phone_changed_notification', userId, oldPhone })
      }
      if (!before.identities.some((identity) => identity.provider === 'phone')) {
        await notifyUser(tx, { kind: 'identity_linked_notification', userId, provider: 'phone' })
      }
    },
  }
}
