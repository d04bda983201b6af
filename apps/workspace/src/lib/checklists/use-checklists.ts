import { useRecords } from '@holdfast/react'
import { useMemo } from 'react'
import { useWordedSchema } from '../data/use-tables.tsx'
import { type Checklist, CHECKLISTS_TABLE, checklistOf, type ChecklistRow } from './checklist.ts'

/** The checklists of the project that this person has all tables of; `undefined` until they are read. */
export function useChecklists(): readonly Checklist[] | undefined {
  const schema = useWordedSchema()
  // A server of an older version, or a project that does not expose `holdfast`, has none.
  const hasTable = schema.tables.some(({ name }) => name === CHECKLISTS_TABLE)
  const { rows, isLoading } = useRecords<ChecklistRow>(
    hasTable ? `select * from ${CHECKLISTS_TABLE} order by table_name` : '',
  )
  return useMemo(
    () => (isLoading && hasTable ? undefined : rows.flatMap((row) => checklistOf(row, schema) ?? [])),
    [rows, isLoading, hasTable, schema],
  )
}
