import { quoteName } from '../sql.ts'
import { peopleTableOf } from '@holdfast/protocol'
import { useTables } from './use-tables.tsx'

/** Local name of `holdfast.comments`. */
export const COMMENTS_TABLE = 'hf_comments'

/**
 * Returns an SQL expression for an account's display name, from the first local table linking names to accounts.
 *
 * @param account - SQL for the account's id
 * @returns `null` without such a table
 */
export function useAuthorSql(account: string): string {
  const tables = useTables()
  const found = peopleTableOf(tables.map(({ descriptor }) => descriptor))
  const people = tables.find(({ descriptor }) => descriptor === found)
  if (people?.titleColumn === undefined) return 'null'
  return `(select ${quoteName(people.titleColumn)} from ${quoteName(people.name)} where user_id = ${account} limit 1)`
}
