import { useRecords } from '@holdfast/react'
import { useMemo } from 'react'
import { useWordedSchema } from '../data/use-tables.tsx'
import { type Checklist, CHECKLISTS_TABLE, checklistOf, type ChecklistRow } from './checklist.ts'

/** Returns the checklists for which the user has all tables; `undefined` while loading. */
export function useChecklists(): readonly Checklist[] | undefined {
  const schema = useWordedSchema()
  // Older servers, and projects not exposing `holdfast`, have none.
  const hasTable = schema.tables.some(({ name }) => name === CHECKLISTS_TABLE)
  const { rows, isLoading } = useRecords<ChecklistRow>(
    hasTable ? `select * from ${CHECKLISTS_TABLE} order by table_name` : '',
  )
  return useMemo(
    () => (isLoading && hasTable ? undefined : rows.flatMap((row) => checklistOf(row, schema) ?? [])),
    [rows, isLoading, hasTable, schema],
  )
}
