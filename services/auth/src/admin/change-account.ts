import { randomUUID } from 'node:crypto'
import { HoldfastError } from '@holdfast/foundation'
import { isConnectionLoss, sql, type SqlFragment, sqlstateOf, type Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { confirmEmail, confirmPhone, nameProviders } from '../confirmations/confirm-user.ts'
import { emailExists, phoneExists } from '../errors.ts'
import { setUserMetadata } from '../identities/identity-changes.ts'
import { mergeIdentityData } from '../identities/insert-identity.ts'
import { acceptCredentials } from '../identities/unverified-credentials.ts'
import { endPending } from '../one-time-tokens/one-time-tokens.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { endSessions } from '../sessions/session-row.ts'
import { type Store, violatedConstraint } from '../store.ts'
import { addressOf, type Contact } from '../users/contact.ts'
import { mergeMetadata, mergeAppMetadata } from '../users/user-metadata.ts'
import { lockUser, type UserRow } from '../users/user-row.ts'
import { type AccountAttributes, banEnd } from './account-attributes.ts'
import { changingUserFailed } from './errors.ts'
import { findAccount, isEmailTaken, isPhoneTaken } from './find-account.ts'
import type { Admin } from './require-admin.ts'

export type ChangeAccountNeeds = Store & { readonly passwords: Passwords }

/**
 * Changes an account without the user's consent. A new address or number takes effect at once and is confirmed only on request. Links, codes
 * and changes pending under an old password, address or number become invalid, and a new password ends every session.
 *
 * @throws {HoldfastError} `user_not_found`, `weak_password`, `email_exists`, `phone_exists`, `validation_failed`, `unexpected_failure`
 */
export async function changeAccount(
  { pool, clock, passwords }: ChangeAccountNeeds,
  input: {
    readonly userId: string
    readonly attributes: AccountAttributes
    readonly admin: Admin
    readonly address: string
  },
): Promise<UserRow> {
  const { attributes, admin, address } = input
  const { id } = await findAccount(pool, input.userId)
  if (attributes.password !== undefined) await passwords.requireGood(attributes.password)
  const passwordHash =
    attributes.passwordHash ??
    (attributes.password === undefined ? undefined : await passwords.hash(attributes.password))
  const nowMs = clock.now()
  const now = new Date(nowMs).toISOString()
  try {
    return await pool.transaction(async (tx) => {
      await lockUser(tx, id)
      const user = await findAccount(tx, id)
      if (attributes.role !== undefined) await setColumn(tx, user, sql`role = ${attributes.role}`, now)
      if (attributes.emailConfirm) {
        await confirmEmail(tx, { userId: id, now })
        await acceptCredentials(tx, id, 'email')
      }
      if (attributes.phoneConfirm) {
        await confirmPhone(tx, { userId: id, now })
        await acceptCredentials(tx, id, 'phone')
      }
      if (passwordHash !== undefined) await setPassword(tx, { user, passwordHash, now })
      const { email, emailConfirm, phone, phoneConfirm } = attributes
      if (email !== undefined) {
        await setContact(tx, user, { contact: { provider: 'email', email }, isConfirmed: emailConfirm, now })
      }
      if (phone !== undefined) {
        await setContact(tx, user, { contact: { provider: 'phone', phone }, isConfirmed: phoneConfirm, now })
      }
      await setMetadata(tx, user, attributes, now)
      if (attributes.banMs !== undefined) {
        await setColumn(tx, user, sql`banned_until = ${banEnd(nowMs, attributes.banMs)}`, now)
      }
      const changed = await findAccount(tx, id)
      const traits = { user_id: id, user_email: changed.email ?? '', user_phone: changed.phone ?? '' }
      await recordAudit(tx, { action: 'user_modified', actor: admin, address, now, traits })
      return changed
    })
  } catch (error) {
    if (error instanceof HoldfastError || sqlstateOf(error) === undefined || isConnectionLoss(error)) throw error
    const constraint = violatedConstraint(error)
    if (constraint === 'users_email_partial_key') throw emailExists()
    if (constraint === 'users_phone_key') throw phoneExists()
    throw changingUserFailed(error)
  }
}

async function setColumn(tx: Transaction, user: UserRow, assignment: SqlFragment, now: string): Promise<void> {
  await tx.execute(sql`update auth.users set ${assignment}, updated_at = ${now} where id = ${user.id}`)
}

async function setPassword(
  tx: Transaction,
  input: { readonly user: UserRow; readonly passwordHash: string; readonly now: string },
): Promise<void> {
  const { user, passwordHash, now } = input
  await setColumn(tx, user, sql`encrypted_password = ${passwordHash}`, now)
  await endPending(tx, user.id)
  await endSessions(tx, { userId: user.id, sessionId: undefined, scope: 'global' })
}

async function setContact(
  tx: Transaction,
  user: UserRow,
  input: { readonly contact: Contact; readonly isConfirmed: boolean; readonly now: string },
): Promise<void> {
  const { contact, isConfirmed, now } = input
  const { provider } = contact
  const address = addressOf(contact)
  const isTaken = provider === 'email' ? isEmailTaken : isPhoneTaken
  if (await isTaken(tx, address, user.id)) throw provider === 'email' ? emailExists() : phoneExists()
  if (address !== user[provider]) await endPending(tx, user.id)
  const column = sql.identifier(provider)
  await setColumn(
    tx,
    user,
    sql`${column} = ${address}, is_anonymous = is_anonymous and not ${isConfirmed}::boolean`,
    now,
  )
  const identityData = { sub: user.id, [provider]: address, [`${provider}_verified`]: isConfirmed }
  const identity = { id: randomUUID(), userId: user.id, provider, providerId: user.id, identityData, now }
  await mergeIdentityData(tx, identity)
  await nameProviders(tx, { userId: user.id, now })
}

async function setMetadata(tx: Transaction, user: UserRow, attributes: AccountAttributes, now: string): Promise<void> {
  const { appMetadata, userMetadata } = attributes
  if (appMetadata === undefined && userMetadata === undefined) return
  const current = await findAccount(tx, user.id)
  if (appMetadata !== undefined) {
    const merged = JSON.stringify(mergeAppMetadata(current.raw_app_meta_data, appMetadata))
    await setColumn(tx, user, sql`raw_app_meta_data = ${merged}::jsonb`, now)
  }
  if (userMetadata !== undefined) {
    const metadata = mergeMetadata(current.raw_user_meta_data, userMetadata)
    await setUserMetadata(tx, { userId: user.id, metadata, now })
  }
}
