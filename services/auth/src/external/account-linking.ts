import { type Queryable, sql } from '@holdfast/postgres'
import { findUserById, type UserRow } from '../users/user-row.ts'
import { type ExternalProfile, mainEmail, type ProviderEmail } from './profile.ts'

/** The account chosen for a provider's user. */
export type LinkingDecision =
  /** The identity is known. */
  | { readonly kind: 'exists'; readonly user: UserRow; readonly identityId: string }
  /** A user already has one of the verified addresses: the same user. */
  | { readonly kind: 'link'; readonly user: UserRow }
  /** @property email - `undefined` if the provider sent no usable address */
  | { readonly kind: 'create'; readonly email: ProviderEmail | undefined }
  /** The address belongs to another user, or to the same one who has not verified it; the server cannot tell which. */
  | { readonly kind: 'taken' }
  /** The verified addresses belong to several accounts. */
  | { readonly kind: 'ambiguous' }

/**
 * Decides like GoTrue's account linking, with two differences: only provider-verified addresses link, regardless of this server's
 * confirmation setting, and an address that another user's identity merely claims is ignored.
 */
export async function decideLinking(
  db: Queryable,
  input: { readonly provider: string; readonly profile: ExternalProfile },
): Promise<LinkingDecision> {
  const { provider, profile } = input
  const [identity] = await db.query<{ id: string; user_id: string }>(sql`
    select identity.id, identity.user_id
      from auth.identities as identity
      join auth.users as users on users.id = identity.user_id and users.deleted_at is null
     where identity.provider_id = ${profile.subject} and identity.provider = ${provider}
  `)
  if (identity) {
    const user = await findUserById(db, identity.user_id)
    if (user) return { kind: 'exists', user, identityId: identity.id }
  }
  const verified = profile.emails.filter((email) => email.verified).map(({ email }) => email)
  const owners = verified.length === 0 ? [] : await findOwners(db, verified)
  if (owners.length > 1) return { kind: 'ambiguous' }
  const owner = owners[0] === undefined ? undefined : await findUserById(db, owners[0])
  if (owner) return { kind: 'link', user: owner }
  const email = mainEmail(profile)
  if (email && !email.verified && (await isTaken(db, email.email))) return { kind: 'taken' }
  return { kind: 'create', email }
}

/** Finds users with one of these emails, as their own or verified by a provider. */
async function findOwners(db: Queryable, emails: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ user_id: string }>(sql`
    select users.id as user_id
      from auth.users as users
     where users.email = any(${emails}::text[]) and users.is_sso_user = false and users.deleted_at is null
    union
    select users.id
      from auth.identities as identity
      join auth.users as users on users.id = identity.user_id
     where identity.email = any(${emails}::text[]) and identity.provider not like 'sso:%'
       and identity.identity_data -> 'email_verified' = 'true'
       and users.is_sso_user = false and users.deleted_at is null
  `)
  return rows.map((row) => row.user_id)
}

/** Returns whether another account signs in with this address. */
export async function isTaken(db: Queryable, email: string, exceptUserId?: string): Promise<boolean> {
  const [row] = await db.query<{ id: string }>(sql`
    select id from auth.users
     where email = ${email} and is_sso_user = false and deleted_at is null
       and id is distinct from ${exceptUserId ?? null}::uuid
     limit 1
  `)
  return row !== undefined
}

/** Serializes sign-ins of one external user. Two concurrent ones would otherwise each create an account. */
export async function lockExternalUser(db: Queryable, provider: string, subject: string): Promise<void> {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`auth.identities ${provider} ${subject}`}, 0))`)
}
