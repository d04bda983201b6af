import { quoteName } from '../sql.ts'
import { peopleTableOf } from '@holdfast/protocol'
import { useTables } from './use-tables.tsx'

/** The local name of `holdfast.comments`. */
export const COMMENTS_TABLE = 'hf_comments'

/**
 * What the person of an account is called: from the first table here that ties names to accounts.
 *
 * @param account - SQL whose value is the id of an account
 * @returns an SQL expression; `null` where there is no such table
 */
export function useAuthorSql(account: string): string {
  const tables = useTables()
  const found = peopleTableOf(tables.map(({ descriptor }) => descriptor))
  const people = tables.find(({ descriptor }) => descriptor === found)
  if (people?.titleColumn === undefined) return 'null'
  return `(select ${quoteName(people.titleColumn)} from ${quoteName(people.name)} where user_id = ${account} limit 1)`
}
