import { type Queryable, sql } from '@holdfast/postgres'
import { isUuid } from '../store.ts'
import { selectAnyUsers, type UserRow } from '../users/user-row.ts'
import { noSuchUser, notAUuid } from './errors.ts'

/**
 * Returns the account of an admin API path, deleted or not.
 *
 * @throws {HoldfastError} `validation_failed` (404), `user_not_found`
 */
export async function findAccount(db: Queryable, userId: string): Promise<UserRow> {
  if (!isUuid(userId)) throw notAUuid('user_id')
  const [user] = await db.query<UserRow>(selectAnyUsers(sql`users.id = ${userId}`))
  if (!user) throw noSuchUser()
  return user
}

/**
 * Returns whether an address belongs to a user, directly or through a provider. Single sign-on accounts may share addresses.
 *
 * @param email - lowercase
 * @param exceptUserId - user whose addresses are ignored
 */
export async function isEmailTaken(db: Queryable, email: string, exceptUserId?: string): Promise<boolean> {
  const rows = await db.query(sql`
    select from auth.users as users
     where not users.is_sso_user
       and users.id is distinct from ${exceptUserId ?? null}::uuid
       and (users.email = ${email}
            or users.id in (select user_id from auth.identities where email = ${email} and provider not like 'sso:%'))
     limit 1
  `)
  return rows.length > 0
}

/** @param phone - digits only */
export async function isPhoneTaken(db: Queryable, phone: string, exceptUserId?: string): Promise<boolean> {
  const rows = await db.query(sql`
    select from auth.users where phone = ${phone} and id is distinct from ${exceptUserId ?? null}::uuid
  `)
  return rows.length > 0
}
