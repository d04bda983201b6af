import { type Queryable, sql, type Transaction } from '@holdfast/postgres'
import { endPending } from '../one-time-tokens/end-pending.ts'
import { deleteOneTimeTokens } from '../one-time-tokens/one-time-tokens.ts'
import type { UserMetadata } from '../users/user-metadata.ts'

/** Keeps what a provider said at the latest sign-in. @param input.now - ISO 8601 */
export async function updateIdentity(
  db: Queryable,
  input: { readonly id: string; readonly identityData: UserMetadata; readonly now: string },
): Promise<void> {
  await db.execute(sql`
    update auth.identities
       set identity_data = ${JSON.stringify(input.identityData)}::jsonb, last_sign_in_at = ${input.now}, updated_at = ${input.now}
     where id = ${input.id}
  `)
}

/** @param input.now - ISO 8601 */
export async function setUserMetadata(
  db: Queryable,
  input: { readonly userId: string; readonly metadata: UserMetadata; readonly now: string },
): Promise<void> {
  await db.execute(sql`
    update auth.users set raw_user_meta_data = ${JSON.stringify(input.metadata)}::jsonb, updated_at = ${input.now}
     where id = ${input.userId}
  `)
}

/**
 * Leaves only one identity of an account with an unconfirmed address: who made it may not be the user who is there now.
 * The password, the other identities with their claims, and the sessions are deleted.
 *
 * @param input.now - ISO 8601
 */
export async function removeUnconfirmedIdentities(
  db: Queryable,
  input: {
    readonly userId: string
    readonly keptIdentityId: string
    readonly metadata: UserMetadata
    readonly now: string
  },
): Promise<void> {
  const { userId, now } = input
  await db.execute(sql`
    update auth.users
       set encrypted_password = '', raw_user_meta_data = ${JSON.stringify(input.metadata)}::jsonb, updated_at = ${now}
     where id = ${userId}
  `)
  await db.execute(sql`delete from auth.identities where user_id = ${userId} and id <> ${input.keptIdentityId}`)
  await db.execute(sql`delete from auth.sessions where user_id = ${userId}`)
}

/**
 * Closes every way into an account but its password, its number and its identities: passkeys, codes, flows that are under way, and what its
 * apps were allowed. Second factors go as well, because they belong to whoever used those ways.
 */
export async function deleteEntrances(db: Queryable, userId: string): Promise<void> {
  await deleteOneTimeTokens(db, userId)
  await db.execute(sql`delete from auth.mfa_factors where user_id = ${userId}`)
  await db.execute(sql`delete from auth.webauthn_credentials where user_id = ${userId}`)
  await db.execute(sql`delete from auth.webauthn_challenges where user_id = ${userId}`)
  await db.execute(sql`delete from auth.oauth_authorizations where user_id = ${userId}`)
  await db.execute(sql`delete from auth.oauth_consents where user_id = ${userId}`)
  await db.execute(sql`delete from auth.flow_state where user_id = ${userId} or linking_target_id = ${userId}`)
  await db.execute(sql`delete from auth.sessions where user_id = ${userId}`)
}

/** The same for an account that another user than its maker enters, who did not choose its number either. @param input.now - ISO 8601 */
export async function deleteMakersEntrances(
  tx: Transaction,
  input: { readonly userId: string; readonly now: string },
): Promise<void> {
  const { userId, now } = input
  await endPending(tx, userId)
  await deleteEntrances(tx, userId)
  await tx.execute(sql`
    update auth.users set phone = null, phone_confirmed_at = null, updated_at = ${now} where id = ${userId}
  `)
}

/** Sets the address of a user, confirmed or not. @param input.now - ISO 8601 */
export async function setUserEmail(
  db: Queryable,
  input: {
    readonly userId: string
    readonly email: string | undefined
    readonly isConfirmed: boolean
    readonly now: string
  },
): Promise<void> {
  const { userId, email, isConfirmed, now } = input
  const metadata = JSON.stringify({ email_verified: isConfirmed })
  await db.execute(sql`
    update auth.users
       set email = ${email ?? null}, email_confirmed_at = ${isConfirmed ? now : null}, updated_at = ${now},
           raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || ${metadata}::jsonb
     where id = ${userId}
  `)
}
