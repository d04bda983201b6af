import { type Queryable, sql, type SqlFragment } from '@holdfast/postgres'
import type { Contact } from './contact.ts'

/** An identity as aggregated by the statement below; times are Postgres text. */
export interface UserIdentity {
  readonly id: string
  readonly provider_id: string
  readonly user_id: string
  readonly identity_data: Readonly<Record<string, unknown>>
  readonly provider: string
  readonly last_sign_in_at: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly email: string | null
}

export interface UserFactor {
  readonly id: string
  readonly friendly_name: string | null
  readonly factor_type: string
  readonly status: 'unverified' | 'verified'
  readonly created_at: string
  readonly updated_at: string
  readonly phone: string | null
  readonly last_challenged_at: string | null
}

/** A row of `auth.users` with its identities and factors. Must not leave the service unrendered: see `render-user.ts`. */
export interface UserRow {
  readonly id: string
  readonly aud: string | null
  readonly role: string | null
  readonly email: string | null
  readonly encrypted_password: string | null
  readonly email_confirmed_at: Date | null
  readonly invited_at: Date | null
  readonly confirmation_sent_at: Date | null
  readonly recovery_sent_at: Date | null
  readonly email_change: string | null
  readonly email_change_sent_at: Date | null
  readonly last_sign_in_at: Date | null
  readonly raw_app_meta_data: Readonly<Record<string, unknown>> | null
  readonly raw_user_meta_data: Readonly<Record<string, unknown>> | null
  readonly created_at: Date | null
  readonly updated_at: Date | null
  readonly phone: string | null
  readonly phone_confirmed_at: Date | null
  readonly phone_change: string | null
  readonly phone_change_sent_at: Date | null
  readonly confirmed_at: Date | null
  readonly reauthentication_sent_at: Date | null
  readonly banned_until: Date | null
  readonly is_sso_user: boolean
  readonly is_anonymous: boolean
  /** When an administrator deleted the account and kept its row. */
  readonly deleted_at: Date | null
  readonly identities: readonly UserIdentity[]
  readonly factors: readonly UserFactor[]
}

/**
 * Selects users that are not deleted.
 *
 * @param more - further columns, starting with a comma, for values read together with the user
 */
export function selectUsers(condition: SqlFragment, more: SqlFragment = sql``): SqlFragment {
  return selectAnyUsers(sql`users.deleted_at is null and ${condition}`, more)
}

/**
 * Selects users including deleted ones, for administrators.
 *
 * @param rest - a condition on `users` and optional further clauses
 * @param more - as in {@link selectUsers}
 */
export function selectAnyUsers(rest: SqlFragment, more: SqlFragment = sql``): SqlFragment {
  return sql`
    select users.id, users.aud, users.role, users.email, users.encrypted_password, users.email_confirmed_at, users.invited_at,
           users.confirmation_sent_at, users.recovery_sent_at, users.email_change, users.email_change_sent_at,
           users.last_sign_in_at, users.raw_app_meta_data, users.raw_user_meta_data, users.created_at, users.updated_at,
           users.phone, users.phone_confirmed_at, users.phone_change, users.phone_change_sent_at, users.confirmed_at,
           users.reauthentication_sent_at, users.banned_until, users.is_sso_user, users.is_anonymous, users.deleted_at,
           coalesce(
             (select jsonb_agg(to_jsonb(identity) order by identity.created_at, identity.id)
                from auth.identities as identity where identity.user_id = users.id),
             '[]'
           ) as identities,
           coalesce(
             (select jsonb_agg(
                       jsonb_build_object(
                         'id', factor.id, 'friendly_name', factor.friendly_name, 'factor_type', factor.factor_type,
                         'status', factor.status, 'created_at', factor.created_at, 'updated_at', factor.updated_at,
                         'phone', factor.phone, 'last_challenged_at', factor.last_challenged_at
                       ) order by factor.created_at, factor.id)
                from auth.mfa_factors as factor where factor.user_id = users.id),
             '[]'
           ) as factors${more}
      from auth.users as users
     where ${rest}
  `
}

export async function findUserById(db: Queryable, userId: string): Promise<UserRow | undefined> {
  const [user] = await db.query<UserRow>(selectUsers(sql`users.id = ${userId}`))
  return user
}

/** @param email - lowercase, as stored */
export async function findUserByEmail(db: Queryable, email: string): Promise<UserRow | undefined> {
  const [user] = await db.query<UserRow>(selectUsers(sql`users.email = ${email} and users.is_sso_user = false`))
  return user
}

/** @param phone - digits only, as stored */
export async function findUserByPhone(db: Queryable, phone: string): Promise<UserRow | undefined> {
  const [user] = await db.query<UserRow>(selectUsers(sql`users.phone = ${phone}`))
  return user
}

export function findUserByContact(db: Queryable, contact: Contact): Promise<UserRow | undefined> {
  return contact.provider === 'email' ? findUserByEmail(db, contact.email) : findUserByPhone(db, contact.phone)
}

/** Locks a user against concurrent changes until the end of the transaction. */
export async function lockUser(db: Queryable, userId: string): Promise<void> {
  await db.execute(sql`select id from auth.users where id = ${userId} for no key update`)
}

export function isBanned(user: UserRow, nowMs: number): boolean {
  return user.banned_until !== null && user.banned_until.getTime() > nowMs
}

export function hasPassword(user: UserRow): boolean {
  return user.encrypted_password !== null && user.encrypted_password !== ''
}

export function hasVerifiedFactor(user: UserRow): boolean {
  return user.factors.some((factor) => factor.status === 'verified')
}

/**
 * Finds the user with this email, as account address or identity. Ignores SSO identities, which may share addresses.
 *
 * @param email - lowercase
 * @param exceptUserId - whose own identities are ignored
 */
export async function findUserByAnyEmail(
  db: Queryable,
  email: string,
  exceptUserId?: string,
): Promise<UserRow | undefined> {
  const user = await findUserByEmail(db, email)
  if (user && user.id !== exceptUserId) return user
  const [owner] = await db.query<{ user_id: string }>(sql`
    select identity.user_id
      from auth.identities as identity
      join auth.users as users on users.id = identity.user_id
     where identity.email = ${email} and identity.provider not like 'sso:%' and users.deleted_at is null
       and users.is_sso_user = false and identity.user_id is distinct from ${exceptUserId ?? null}::uuid
     order by identity.created_at
     limit 1
  `)
  return owner && findUserById(db, owner.user_id)
}
