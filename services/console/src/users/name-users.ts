import { sql, type Pool } from '@holdfast/postgres'
import { DEVICE_USERS_MAX } from '../limits.ts'
import { listUsers } from './list-users.ts'

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Reads the addresses of users by id. */
export async function readEmails(
  pool: Pool,
  userIds: readonly (string | undefined)[],
): Promise<ReadonlyMap<string, string | null>> {
  const ids = [...new Set(userIds)].filter((id) => id !== undefined && UUID.test(id))
  if (ids.length === 0) return new Map()
  const users = await pool.query<{ id: string; email: string | null }>(
    sql`select id, email from auth.users where id = any(${ids}::uuid[])`,
  )
  return new Map(users.map(({ id, email }) => [id, email]))
}

/**
 * Returns the ids of users that a search means: the id itself, and for developers users by a part of address, name or phone.
 */
export async function findUserIds(pool: Pool, search: string, isDeveloper: boolean): Promise<readonly string[]> {
  // A search by address would reveal to viewers what masks hide, letter by letter.
  if (!isDeveloper) return [search]
  const { users } = await listUsers(pool, { search, limit: DEVICE_USERS_MAX })
  return [search, ...users.map(({ id }) => id)]
}
