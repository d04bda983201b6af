import { sql, type SqlFragment, type Pool } from '@holdfast/postgres'
import { validationFailed } from '../errors.ts'
import { selectAnyUsers, type UserRow } from '../users/user-row.ts'
import { offsetOf, type Page } from './pagination.ts'

export type SortDirection = 'asc' | 'desc'

/**
 * Lists a page of accounts, including deleted ones, and the total number.
 *
 * @param input.filter - part of an address or, ignoring case, of a `full_name`; empty for all
 */
export async function listUsers(
  pool: Pool,
  input: {
    readonly audience: string
    readonly filter: string
    readonly sort: SortDirection
    readonly page: Page
  },
): Promise<{ readonly users: readonly UserRow[]; readonly total: number }> {
  const { audience, filter, page } = input
  const pattern = `%${filter}%`
  const matches: SqlFragment =
    filter === ''
      ? sql`users.aud = ${audience}`
      : sql`users.aud = ${audience}
            and (users.email like ${pattern} or users.raw_user_meta_data ->> 'full_name' ilike ${pattern})`
  const order =
    input.sort === 'asc'
      ? sql`users.created_at asc nulls first, users.id asc`
      : sql`users.created_at desc nulls last, users.id desc`
  const [[count], users] = await Promise.all([
    pool.query<{ total: string }>(sql`select count(*) as total from auth.users as users where ${matches}`),
    pool.query<UserRow>(selectAnyUsers(sql`${matches} order by ${order} limit ${page.rows} offset ${offsetOf(page)}`)),
  ])
  return { users, total: Number(count?.total ?? 0) }
}

/**
 * Parses `sort=created_at asc`. No other column is supported.
 *
 * @throws {HoldfastError} `validation_failed`
 */
export function parseSort(text: string | undefined): SortDirection {
  if (text === undefined || text === '') return 'desc'
  const [field = '', direction = 'desc'] = text.split(/ (.*)/s, 2)
  if (field !== 'created_at') throw validationFailed(`Bad Sort Parameters: bad field for sort '${field}'`)
  const known = direction.toLowerCase()
  if (known === 'asc' || known === 'desc') return known
  throw validationFailed(`Bad Sort Parameters: bad direction for sort '${direction}', only 'asc' and 'desc' allowed`)
}
