import { useSchema } from '@holdfast/react'
import { authorSql } from './people-sql.ts'

/** Local name of `holdfast.comments`. */
export const COMMENTS_TABLE = 'hf_comments'

/**
 * Returns an SQL expression for an account's display name; `null` without a table of people.
 *
 * @param account - SQL for the account's id, used once
 */
export function useAuthorSql(account: string): string {
  return authorSql(useSchema(), account)
}
