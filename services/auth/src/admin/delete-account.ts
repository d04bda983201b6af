import { createHash } from 'node:crypto'
import { isConnectionLoss, sql, sqlstateOf, type Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { deleteSignInMethods } from '../identities/unverified-credentials.ts'
import { isoNow, type Store } from '../store.ts'
import type { UserRow } from '../users/user-row.ts'
import { lockUser } from '../users/user-row.ts'
import { deletingUserFailed } from './errors.ts'
import { findAccount } from './find-account.ts'
import type { Admin } from './require-admin.ts'

/**
 * Deletes an account.
 *
 * @param input.isSoft - keeps an anonymized row for references from the project's tables. Addresses become hashes, so the same user can
 * sign up again
 * @throws {HoldfastError} `user_not_found`, `unexpected_failure` if a reference in the project's tables prevents the deletion
 */
export async function deleteAccount(
  { pool, clock }: Store,
  input: { readonly userId: string; readonly isSoft: boolean; readonly admin: Admin; readonly address: string },
): Promise<void> {
  const { isSoft, admin, address } = input
  const { id } = await findAccount(pool, input.userId)
  const now = isoNow(clock)
  try {
    await pool.transaction(async (tx) => {
      await lockUser(tx, id)
      const user = await findAccount(tx, id)
      const traits = { user_id: id, user_email: user.email ?? '', user_phone: user.phone ?? '' }
      await recordAudit(tx, { action: 'user_deleted', actor: admin, address, now, traits })
      if (!isSoft) await tx.execute(sql`delete from auth.users where id = ${id}`)
      else if (user.deleted_at === null) await deleteSoftly(tx, user, now)
    })
  } catch (error) {
    throw sqlstateOf(error) === undefined || isConnectionLoss(error) ? error : deletingUserFailed(error)
  }
}

async function deleteSoftly(tx: Transaction, user: UserRow, now: string): Promise<void> {
  await tx.execute(sql`
    update auth.users
       set email = ${obfuscate(user.id, user.email ?? '')}, phone = ${obfuscatePhone(user.id, user.phone ?? '')},
           email_change = ${obfuscate(user.id, user.email_change ?? '')},
           phone_change = ${obfuscatePhone(user.id, user.phone_change ?? '')},
           encrypted_password = null, confirmation_token = '', recovery_token = '', email_change_token_current = '',
           email_change_token_new = '', phone_change_token = '', reauthentication_token = '',
           raw_user_meta_data = '{}', raw_app_meta_data = '{}', deleted_at = ${now}, updated_at = ${now}
     where id = ${user.id}
  `)
  for (const identity of user.identities) {
    const providerId = obfuscate(user.id, `${identity.provider}:${identity.provider_id}`)
    await tx.execute(sql`
      update auth.identities
         set identity_data = '{}', provider_id = ${providerId}, updated_at = ${now}
       where id = ${identity.id}
    `)
  }
  await deleteSignInMethods(tx, user.id)
}

/** Obfuscates an email like GoTrue, so that rows written by either are equivalent. */
function obfuscate(userId: string, text: string): string {
  return createHash('sha256')
    .update(userId + text)
    .digest('base64url')
}

/** Truncated to the former maximum length of phone numbers. */
function obfuscatePhone(userId: string, phone: string): string {
  return obfuscate(userId, phone).slice(0, 15)
}
