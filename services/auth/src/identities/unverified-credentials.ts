import { randomUUID } from 'node:crypto'
import { type Queryable, sql, type Transaction } from '@holdfast/postgres'
import { deleteOneTimeTokens, endPending } from '../one-time-tokens/one-time-tokens.ts'
import type { UserRow } from '../users/user-row.ts'
import { mergeIdentityData } from './insert-identity.ts'

// Account pre-hijacking: somebody registers another user's address with credentials of their own, and waits for that user to come in by a
// mail or a provider. So the first proof of an address or number ends whatever was set before it by somebody who did not prove it.

/** The channel that was proven. */
export type ProofChannel = 'email' | 'phone'

/**
 * Marks a user whose credentials may be those of another person: they end when the address or number is proven. Every way to an account that
 * takes an unproven address, and every request for a message that does not know the account's password, marks it.
 */
export async function markUnverified(db: Queryable, userId: string, channel: ProofChannel): Promise<void> {
  await db.execute(sql`
    insert into auth.unverified_credentials (user_id, channel) values (${userId}, ${channel}) on conflict do nothing
  `)
}

/** An administrator, or a user who was signed in while proving the address, answers for the credentials. */
export async function acceptCredentials(db: Queryable, userId: string, channel: ProofChannel): Promise<void> {
  await db.execute(sql`delete from auth.unverified_credentials where user_id = ${userId} and channel = ${channel}`)
}

export async function isMarkedUnverified(db: Queryable, userId: string, channel: ProofChannel): Promise<boolean> {
  const rows = await db.query(sql`
    select from auth.unverified_credentials where user_id = ${userId} and channel = ${channel}
  `)
  return rows.length > 0
}

/**
 * Ends every credential of a user but the address or number that is proven now, and the identity that proves it: password, sessions, passkeys,
 * second factors, other identities, the other contact, messages and flows under way, and what apps were allowed.
 *
 * @param input.keptIdentityId - of the provider that vouches for the address; for a mail or text message the user's own identity stays
 * @param input.flowsFrom - flows that began at this time or later stay: the one that the mail belongs to
 * @param input.now - ISO 8601
 */
export async function revokeUnverifiedCredentials(
  tx: Transaction,
  input: {
    readonly user: Pick<UserRow, 'id' | 'email' | 'email_confirmed_at' | 'phone'>
    readonly channel: ProofChannel
    readonly keptIdentityId?: string
    readonly flowsFrom?: Date
    readonly now: string
  },
): Promise<void> {
  const { user, channel, keptIdentityId, now } = input
  const otherContact =
    channel === 'email' ? sql`phone = null, phone_confirmed_at = null` : sql`email = null, email_confirmed_at = null`
  await endPending(tx, user.id)
  await deleteSignInMethods(tx, user.id, input.flowsFrom)
  await tx.execute(sql`
    update auth.users set encrypted_password = '', ${otherContact}, updated_at = ${now} where id = ${user.id}
  `)
  // The own identity of an address that counts already opens nothing without the password, and as in GoTrue it stays beside the provider's.
  const keepsOwn = keptIdentityId === undefined || user.email_confirmed_at !== null
  await tx.execute(sql`
    delete from auth.identities
     where user_id = ${user.id} and id is distinct from ${keptIdentityId ?? null}::uuid
       and not (${keepsOwn}::boolean and provider = ${channel})
  `)
  if (keptIdentityId === undefined) {
    const contact = channel === 'email' ? { email: user.email } : { phone: user.phone }
    const identityData = { sub: user.id, ...contact }
    const identity = { id: randomUUID(), userId: user.id, provider: channel, providerId: user.id, identityData, now }
    await mergeIdentityData(tx, identity)
  }
  await tx.execute(sql`delete from auth.unverified_credentials where user_id = ${user.id}`)
}

/**
 * Deletes all ways into an account but its password, its number and its identities: passkeys, codes, flows that are under way, and what its
 * apps were allowed. Second factors go as well, because they belong to whoever used those ways.
 *
 * @param flowsFrom - flows that began at this time or later stay
 */
export async function deleteSignInMethods(db: Queryable, userId: string, flowsFrom?: Date): Promise<void> {
  await deleteOneTimeTokens(db, userId)
  await db.execute(sql`delete from auth.mfa_factors where user_id = ${userId}`)
  await db.execute(sql`delete from auth.webauthn_credentials where user_id = ${userId}`)
  await db.execute(sql`delete from auth.webauthn_challenges where user_id = ${userId}`)
  await db.execute(sql`delete from auth.oauth_authorizations where user_id = ${userId}`)
  await db.execute(sql`delete from auth.oauth_consents where user_id = ${userId}`)
  await db.execute(sql`
    delete from auth.flow_state
     where (user_id = ${userId} or linking_target_id = ${userId})
       and (created_at < ${flowsFrom?.toISOString() ?? 'infinity'} or linking_target_id is not null)
  `)
  await db.execute(sql`delete from auth.sessions where user_id = ${userId}`)
}
