import { assert } from '@holdfast/foundation'
import { type Transaction, sql } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { confirmEmailChange, confirmPhoneChange } from '../confirmations/confirm-user.ts'
import { reauthenticationNotValid } from '../confirmations/errors.ts'
import type { LinkTarget } from '../confirmations/token-messages.ts'
import { emailExists, phoneExists, userNotFound } from '../errors.ts'
import { setUserMetadata } from '../identities/identity-changes.ts'
import { markUnverified } from '../identities/unverified-credentials.ts'
import type { SmsChannel } from '../messages/messages.ts'
import type { Notices } from '../messages/notices.ts'
import { endPending } from '../one-time-tokens/one-time-tokens.ts'
import type { AuthOptions, WithOptions } from '../options/auth-options.ts'
import { endSessions } from '../sessions/session-row.ts'
import type { Signer } from '../sessions/sessions.ts'
import { isoNow } from '../store.ts'
import { mergeMetadata } from '../users/user-metadata.ts'
import { findUserById, findUserByPhone, lockUser, type UserRow, findUserByAnyEmail } from '../users/user-row.ts'
import { checkChanges, type CheckedChanges, type UserChanges, type CheckChangesNeeds } from './check-changes.ts'

export type ChangeUserNeeds = CheckChangesNeeds &
  WithOptions<'emailEnableConfirmations' | 'smsEnableConfirmations'> & { readonly notices: Notices }

/**
 * Changes the signed-in user's account. A new password ends every other session. A new address or number takes effect once confirmed, except
 * numbers with auto-confirm, and an anonymous user's first address with auto-confirm.
 *
 * @param input.address - of the client
 * @returns the changed user
 * @throws {HoldfastError} `weak_password`, `same_password`, `email_exists`, `phone_exists`, `insufficient_aal`, `not_admin`,
 * `user_sso_managed`, `validation_failed`, `reauthentication_needed`, `reauthentication_not_valid`, `current_password_required`,
 * `current_password_invalid`, `over_email_send_rate_limit`, `over_sms_send_rate_limit`
 */
export async function changeUser(
  needs: ChangeUserNeeds,
  input: LinkTarget & { readonly signer: Signer; readonly changes: UserChanges; readonly address: string },
): Promise<UserRow> {
  const { pool, clock, notices } = needs
  const { signer, address } = input
  const changes = await checkChanges(needs, signer, input.changes)
  await countMessages(needs, signer.user, changes, address)
  const now = isoNow(clock)

  return pool.transaction(async (tx) => {
    await countForUser(needs, tx, signer.user, changes)
    await lockUser(tx, signer.user.id)
    const user = await findUserById(tx, signer.user.id)
    if (!user) throw userNotFound()
    if (changes.passwordHash !== undefined) {
      if (changes.usesNonce) await useNonce(tx, user.id)
      await setPassword(tx, { userId: user.id, passwordHash: changes.passwordHash, now })
      await endSessions(tx, { userId: user.id, sessionId: signer.session?.id, scope: 'others' })
      await recordAudit(tx, { action: 'user_updated_password', actor: user, address, now })
      await notices.notifyUser(tx, { kind: 'password_changed_notification', userId: user.id })
    }
    if (changes.metadata !== undefined) {
      const metadata = mergeMetadata(user.raw_user_meta_data, changes.metadata)
      await setUserMetadata(tx, { userId: user.id, metadata, now })
    }
    if (changes.email !== undefined) await changeEmail(needs, tx, { ...input, user, email: changes.email, now })
    if (changes.phone !== undefined)
      await changePhone(needs, tx, { user, phone: changes.phone, channel: changes.smsChannel, address, now })
    await recordAudit(tx, { action: 'user_modified', actor: user, address, now })
    const changed = await findUserById(tx, user.id)
    assert(changed, 'the user is locked')
    return changed
  })
}

/** Counts messages before the user is locked, because a consistent lock order prevents deadlocks. */
async function countForUser(
  { options, tokenMessages }: ChangeUserNeeds,
  tx: Transaction,
  user: UserRow,
  changes: CheckedChanges,
): Promise<void> {
  const address = user.email || user.phone || user.id
  if (changes.email !== undefined && !isEmailTakenAtOnce(options, user)) {
    await tokenMessages.count(tx, 'mail', { address, kind: 'email_change' })
  }
  if (changes.phone !== undefined && options.smsEnableConfirmations) {
    await tokenMessages.count(tx, 'sms', { address, kind: 'phone_change' })
  }
}

/** Counts messages by client address, before the transaction that would block others. */
async function countMessages(
  { limits, options }: ChangeUserNeeds,
  user: UserRow,
  changes: CheckedChanges,
  address: string,
): Promise<void> {
  if (changes.email !== undefined && !isEmailTakenAtOnce(options, user)) await limits.mail.take(address)
  if (changes.phone !== undefined && options.smsEnableConfirmations) await limits.sms.take(address)
}

/** Returns whether a new address takes effect at once. Permanent accounts always prove it, because a typo would lock their user out. */
function isEmailTakenAtOnce(options: Pick<AuthOptions, 'emailEnableConfirmations'>, user: UserRow): boolean {
  return user.is_anonymous && !options.emailEnableConfirmations
}

async function changeEmail(
  { notices, options, tokenMessages }: ChangeUserNeeds,
  tx: Transaction,
  input: LinkTarget & {
    readonly user: UserRow
    readonly email: string
    readonly address: string
    readonly now: string
  },
): Promise<void> {
  const { user, email, redirectTo, codeChallenge, address, now } = input
  if (await findUserByAnyEmail(tx, email, user.id)) throw emailExists()
  if (isEmailTakenAtOnce(options, user)) {
    await confirmEmailChange(tx, { userId: user.id, email, now })
    await markUnverified(tx, user.id, 'email')
    await notices.notifyOfNewEmail(tx, user, email)
    return
  }
  await tokenMessages.sendEmailChange(tx, { redirectTo, codeChallenge, user, newEmail: email, address, now })
}

async function changePhone(
  { notices, options, tokenMessages }: ChangeUserNeeds,
  tx: Transaction,
  input: {
    readonly user: UserRow
    readonly phone: string
    readonly channel: SmsChannel
    readonly address: string
    readonly now: string
  },
): Promise<void> {
  const { user, phone, channel, address, now } = input
  if (await findUserByPhone(tx, phone)) throw phoneExists()
  if (!options.smsEnableConfirmations) {
    await confirmPhoneChange(tx, { userId: user.id, phone, now })
    await markUnverified(tx, user.id, 'phone')
    await notices.notifyOfNewPhone(tx, user, phone)
    return
  }
  await tokenMessages.sendPhoneCode(tx, {
    user,
    phone,
    purpose: 'phone_change',
    kind: 'phone_change',
    channel,
    address,
    now,
  })
}

/** Consumes the code, so that only one of two concurrent requests changes the password. @throws {HoldfastError} `reauthentication_not_valid` */
async function useNonce(tx: Transaction, userId: string): Promise<void> {
  const deleted = await tx.execute(sql`
    delete from auth.one_time_tokens where user_id = ${userId} and token_type = 'reauthentication_token'
  `)
  if (deleted === 0) throw reauthenticationNotValid()
}

/** Sets the password and invalidates pending links, codes and changes. */
async function setPassword(
  tx: Transaction,
  input: { userId: string; passwordHash: string; now: string },
): Promise<void> {
  await tx.execute(sql`
    update auth.users set encrypted_password = ${input.passwordHash}, updated_at = ${input.now} where id = ${input.userId}
  `)
  await endPending(tx, input.userId)
}
