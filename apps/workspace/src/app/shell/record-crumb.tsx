import type { JSX } from 'react'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useRecordTitle } from '../../lib/data/use-record-title.ts'

/** The title of the open record; the kind of record until it is known. */
export function RecordCrumb({
  table,
  recordId,
  noun,
}: {
  readonly table: TableInfo
  readonly recordId: string
  readonly noun: string
}): JSX.Element {
  const { title, isHere } = useRecordTitle(table, recordId)
  return <>{isHere ? title : noun}</>
}
