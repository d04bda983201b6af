import { randomUUID } from 'node:crypto'
import { type Transaction, sql } from '@holdfast/postgres'
import { assert } from '@holdfast/foundation'
import { recordAudit } from '../audit-log.ts'
import type { AuthContext } from '../context.ts'
import {
  emailExists,
  insufficientAal,
  notAdmin,
  phoneExists,
  phoneProviderDisabled,
  samePassword,
  userNotFound,
  userSsoManaged,
  validationFailed,
} from '../errors.ts'
import { mergeIdentityData } from '../identities/insert-identity.ts'
import { requireAcceptablePassword } from '../passwords/password-strength.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import { violatedConstraint } from '../violated-constraint.ts'
import { parseEmail, parsePhone } from './contact.ts'
import type { Signer } from './require-user.ts'
import { mergeMetadata, type UserMetadata } from './user-metadata.ts'
import { findUserById, hasPassword, hasVerifiedFactor, lockUser, type UserRow } from './user-row.ts'

/** What a person may change of their own account; what is `undefined` stays. */
export interface UserChanges {
  readonly email: string | undefined
  readonly phone: string | undefined
  readonly password: string | undefined
  /** Merged into the metadata; `null` removes a key. */
  readonly metadata: UserMetadata | undefined
  /** Asked for by mistake or malice: only administrators set it. */
  readonly appMetadata: unknown
}

/**
 * Changes the account of the signed-in person. A new password signs out every other session.
 *
 * @returns the user as they are now
 * @throws {HoldfastError} `weak_password`, `same_password`, `email_exists`, `phone_exists`, `insufficient_aal`, `not_admin`,
 * `user_sso_managed`, `validation_failed`
 */
export async function changeUser(
  context: AuthContext,
  input: { readonly signer: Signer; readonly changes: UserChanges; readonly address: string },
): Promise<UserRow> {
  const { signer, address } = input
  const changes = await checkChanges(context, signer, input.changes)
  const now = new Date(context.clock.now()).toISOString()

  return context.pool.transaction(async (tx) => {
    await lockUser(tx, signer.user.id)
    const user = await findUserById(tx, signer.user.id)
    if (!user) throw userNotFound()
    if (changes.passwordHash !== undefined) {
      await setPassword(tx, { userId: user.id, passwordHash: changes.passwordHash, now })
      await endSessions(tx, { userId: user.id, sessionId: signer.session?.id, scope: 'others' })
      await recordAudit(tx, { action: 'user_updated_password', actor: user, address, now })
    }
    if (changes.email !== undefined) await setEmail(tx, { user, email: changes.email, now })
    if (changes.phone !== undefined) await setPhone(tx, { user, phone: changes.phone, now })
    if (changes.metadata !== undefined) {
      const metadata = mergeMetadata((await findUserById(tx, user.id))?.raw_user_meta_data ?? null, changes.metadata)
      await setMetadata(tx, { userId: user.id, metadata, now })
    }
    await recordAudit(tx, { action: 'user_modified', actor: user, address, now })
    const changed = await findUserById(tx, user.id)
    assert(changed, 'the user is locked')
    return changed
  })
}

interface CheckedChanges {
  readonly email: string | undefined
  readonly phone: string | undefined
  readonly passwordHash: string | undefined
  readonly metadata: UserMetadata | undefined
}

/** Refuses before anything is written, and hashes outside the transaction. */
async function checkChanges(context: AuthContext, signer: Signer, changes: UserChanges): Promise<CheckedChanges> {
  const { options, passwords } = context
  const { user, session } = signer
  const email = changes.email === undefined ? undefined : parseEmail(changes.email)
  const phone = changes.phone === undefined ? undefined : parsePhone(changes.phone)
  const newEmail = email === user.email ? undefined : email
  const newPhone = phone === user.phone ? undefined : phone
  if (changes.password !== undefined) requireAcceptablePassword(changes.password, options.minimumPasswordLength)
  if (changes.appMetadata !== undefined) throw notAdmin()

  const changesCredentials = changes.password !== undefined || newEmail !== undefined || newPhone !== undefined
  if (changesCredentials && hasVerifiedFactor(user) && session?.aal !== 'aal2') throw insufficientAal()
  if (changesCredentials && user.is_sso_user) throw userSsoManaged()
  if (changes.password !== undefined && user.is_anonymous && newEmail === undefined && newPhone === undefined) {
    throw validationFailed('Updating password of an anonymous user without an email or phone is not allowed', 422)
  }
  if (newEmail !== undefined && options.emailEnableConfirmations) {
    throw validationFailed('A new email address needs a confirmation mail, and this server sends none', 422)
  }
  if (newPhone !== undefined && !options.smsEnableSignup) throw phoneProviderDisabled('signups')
  if (changes.password !== undefined && hasPassword(user)) {
    if (await passwords.verify(changes.password, user.encrypted_password ?? undefined)) throw samePassword()
  }
  return {
    email: newEmail,
    phone: newPhone,
    passwordHash: changes.password === undefined ? undefined : await passwords.hash(changes.password),
    metadata: changes.metadata,
  }
}

/** Whatever was sent out under the old password (links, codes) is worth nothing after this. */
async function setPassword(
  tx: Transaction,
  input: { userId: string; passwordHash: string; now: string },
): Promise<void> {
  await tx.execute(sql`
    update auth.users
       set encrypted_password = ${input.passwordHash}, updated_at = ${input.now},
           confirmation_token = '', confirmation_sent_at = null, recovery_token = '', recovery_sent_at = null,
           email_change_token_current = '', email_change_token_new = '', email_change_sent_at = null,
           phone_change_token = '', phone_change_sent_at = null,
           reauthentication_token = '', reauthentication_sent_at = null
     where id = ${input.userId}
  `)
  await tx.execute(sql`delete from auth.one_time_tokens where user_id = ${input.userId}`)
}

async function setEmail(tx: Transaction, input: { user: UserRow; email: string; now: string }): Promise<void> {
  const { user, email, now } = input
  const metadata = JSON.stringify({ email, email_verified: true })
  try {
    await tx.execute(sql`
      update auth.users
         set email = ${email}, email_confirmed_at = ${now}, email_change = '', email_change_token_current = '',
             email_change_token_new = '', email_change_confirm_status = 0, is_anonymous = false, updated_at = ${now},
             raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || ${metadata}::jsonb,
             raw_app_meta_data = case
               when raw_app_meta_data ->> 'provider' is null
               then coalesce(raw_app_meta_data, '{}') || '{"provider":"email","providers":["email"]}'
               else raw_app_meta_data
             end
       where id = ${user.id}
    `)
  } catch (error) {
    throw violatedConstraint(error) === 'users_email_partial_key' ? emailExists() : error
  }
  await mergeIdentityData(tx, {
    id: randomUUID(),
    userId: user.id,
    provider: 'email',
    providerId: user.id,
    identityData: { sub: user.id, email, email_verified: true },
    now,
  })
}

async function setPhone(tx: Transaction, input: { user: UserRow; phone: string; now: string }): Promise<void> {
  const { user, phone, now } = input
  try {
    await tx.execute(sql`
      update auth.users
         set phone = ${phone}, phone_confirmed_at = ${now}, phone_change = '', phone_change_token = '', is_anonymous = false,
             updated_at = ${now}
       where id = ${user.id}
    `)
  } catch (error) {
    throw violatedConstraint(error) === 'users_phone_key' ? phoneExists() : error
  }
  await mergeIdentityData(tx, {
    id: randomUUID(),
    userId: user.id,
    provider: 'phone',
    providerId: user.id,
    identityData: { sub: user.id, phone, phone_verified: true },
    now,
  })
}

async function setMetadata(
  tx: Transaction,
  input: { userId: string; metadata: UserMetadata; now: string },
): Promise<void> {
  await tx.execute(sql`
    update auth.users
       set raw_user_meta_data = ${JSON.stringify(input.metadata)}::jsonb, updated_at = ${input.now}
     where id = ${input.userId}
  `)
}
