import { type Queryable, sql } from '@holdfast/postgres'
import { findUserByEmail, findUserById, type UserRow } from './user-row.ts'

/**
 * Whose address this is: as the address of the account, or of one of its ways to sign in. Those of an organisation (SSO) do not count: several may
 * know the same address.
 *
 * @param email - in lower case
 * @param exceptUserId - whose own identities do not count
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
