import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { ADMINISTERED, SHARES_TABLE } from './shares.ts'

/** Whether this person may share records of a table with guests: they administer a workspace, and a policy of the table lets guests see what is shared with them. */
export function useMayShare({ descriptor }: TableInfo): boolean {
  const { userId } = useLocalDatabase()
  const isKept = useSchema().tables.some(({ name, can }) => name === SHARES_TABLE && can.insert)
  const isAsked = isKept && descriptor.guests !== undefined
  const { rows } = useRecords<{ readonly id: string }>(isAsked ? ADMINISTERED : '', [userId])
  return rows.length > 0
}
