import { randomUUID } from 'node:crypto'
import { type Queryable, sql, type Transaction } from '@holdfast/postgres'
import { deleteOneTimeTokens, endPending } from '../one-time-tokens/one-time-tokens.ts'
import type { UserRow } from '../users/user-row.ts'
import { mergeIdentityData } from './insert-identity.ts'

// Account pre-hijacking: an attacker registers a user's address with other credentials, and waits for the user to enter through a mail or a
// provider. So the first proof of an address or number revokes credentials set earlier without proof.

/** The channel that was proven. */
export type ProofChannel = 'email' | 'phone'

/**
 * Marks a user's credentials as unverified, to be revoked when the address or number is proven. Every path that accepts an unproven address,
 * and every request for a message without the account's password, must call it.
 */
export async function markUnverified(db: Queryable, userId: string, channel: ProofChannel): Promise<void> {
  await db.execute(sql`
    insert into auth.unverified_credentials (user_id, channel) values (${userId}, ${channel}) on conflict do nothing
  `)
}

/** Removes the mark, if an administrator set the credentials or the user was signed in while proving the address. */
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
 * Revokes all credentials of a user except the address or number just proven and the identity that proves it: password, sessions, passkeys,
 * second factors, other identities, the other contact, pending messages and flows, and consents for apps.
 *
 * @param input.keptIdentityId - identity of the verifying provider; for a mail or text message the user's own identity is kept
 * @param input.flowsFrom - keeps flows started at this time or later, such as the one of the mail
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
  // A confirmed address's own identity is useless without the password. As in GoTrue, it stays next to the provider's.
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
 * Deletes all ways into an account except password, number and identities: passkeys, codes, pending flows, and consents for apps. Second
 * factors are deleted too, because they belong to whichever user used those ways.
 *
 * @param flowsFrom - keeps flows started at this time or later
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
