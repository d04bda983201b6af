import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import { useMemo } from 'react'
import { useToday } from '../../hooks/use-today.ts'
import { useTables } from '../data/use-tables.tsx'
import { addDays } from '../fields/dates.ts'
import { type InboxItem, inboxSql } from './inbox.ts'
import { UNREAD_DAYS } from './read-marks.ts'
import { workTablesOf } from './work-tables.ts'

const THROTTLE_MS = 500

/** Returns the user's news, newest first, live from local data. */
export function useInbox(): { readonly items: readonly InboxItem[]; readonly isLoading: boolean } {
  const schema = useSchema()
  const tables = useTables()
  const { userId } = useLocalDatabase()
  const today = useToday()
  const { sql, parameters } = useMemo(
    () => inboxSql(schema, workTablesOf(schema, tables), userId, addDays(today, -UNREAD_DAYS), today),
    [schema, tables, userId, today],
  )
  const { rows, isLoading } = useRecords<InboxItem>(sql, parameters, { throttleMs: THROTTLE_MS })
  return { items: rows, isLoading: sql !== '' && isLoading }
}
