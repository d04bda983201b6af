import { randomUUID } from 'node:crypto'
import { HoldfastError } from '@holdfast/foundation'
import { isConnectionLoss, sql, type SqlFragment, sqlstateOf, type Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { confirmEmail, confirmPhone, nameProviders } from '../confirmations/confirm-user.ts'
import { emailExists, phoneExists } from '../errors.ts'
import { mergeIdentityData } from '../identities/insert-identity.ts'
import { acceptCredentials } from '../identities/unverified-credentials.ts'
import { endPending } from '../one-time-tokens/end-pending.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import type { Store } from '../store.ts'
import { mergeMetadata } from '../users/user-metadata.ts'
import { lockUser, type UserRow } from '../users/user-row.ts'
import { violatedConstraint } from '../violated-constraint.ts'
import { type AccountAttributes, banEnd } from './account-attributes.ts'
import { mergeAppMetadata } from './app-metadata.ts'
import { changingUserFailed } from './errors.ts'
import { findAccount, isEmailTaken, isPhoneTaken } from './find-account.ts'
import type { Admin } from './require-admin.ts'
import { setUserMetadata } from './set-metadata.ts'

export type ChangeAccountNeeds = Store & { readonly passwords: Passwords }

/**
 * Changes an account without asking the person. A new address or number counts at once; it is confirmed only when that is asked for as well.
 * What was begun under another password, address or number (links, codes, changes) is worth nothing after it, and a new password ends every
 * session.
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
      if (attributes.email !== undefined) await setEmail(tx, user, attributes.email, attributes.emailConfirm, now)
      if (attributes.phone !== undefined) await setPhone(tx, user, attributes.phone, attributes.phoneConfirm, now)
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

async function setEmail(tx: Transaction, user: UserRow, email: string, confirm: boolean, now: string): Promise<void> {
  if (await isEmailTaken(tx, email, user.id)) throw emailExists()
  if (email !== user.email) await endPending(tx, user.id)
  await setColumn(tx, user, sql`email = ${email}, is_anonymous = is_anonymous and not ${confirm}::boolean`, now)
  await mergeIdentityData(tx, {
    id: randomUUID(),
    userId: user.id,
    provider: 'email',
    providerId: user.id,
    identityData: { sub: user.id, email, email_verified: confirm },
    now,
  })
  await nameProviders(tx, { userId: user.id, now })
}

async function setPhone(tx: Transaction, user: UserRow, phone: string, confirm: boolean, now: string): Promise<void> {
  if (await isPhoneTaken(tx, phone, user.id)) throw phoneExists()
  if (phone !== user.phone) await endPending(tx, user.id)
  await setColumn(tx, user, sql`phone = ${phone}, is_anonymous = is_anonymous and not ${confirm}::boolean`, now)
  await mergeIdentityData(tx, {
    id: randomUUID(),
    userId: user.id,
    provider: 'phone',
    providerId: user.id,
    identityData: { sub: user.id, phone, phone_verified: confirm },
    now,
  })
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
