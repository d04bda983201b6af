import { useJudgements } from '@holdfast/react'
import { useMemo } from 'react'
import type { TableInfo } from '../data/tables.ts'
import type { Field } from '../fields/field.ts'
import type { RecordValues } from './record-change.ts'
import { ALL_RIGHTS, type RecordRights, toRights, writesOf } from './record-rights.ts'

/** What policies leave this person to do with a record. Of a table that the role may not write, nothing more is asked. */
export function useRecordRights(
  table: TableInfo,
  recordId: string,
  fields: readonly Field[],
  values: RecordValues,
): RecordRights {
  const { can } = table.descriptor
  const asked = useMemo(() => (can.update ? fields.filter((field) => field.isEditable) : []), [can.update, fields])
  const writes = useMemo(() => writesOf(table, recordId, asked, values), [table, recordId, asked, values])
  const judgements = useJudgements(writes)
  return useMemo(() => (judgements ? toRights(asked, judgements) : ALL_RIGHTS), [asked, judgements])
}
