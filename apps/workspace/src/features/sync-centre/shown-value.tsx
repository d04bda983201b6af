import type { ColumnDescriptor } from '@holdfast/protocol'
import { useFindTable } from '../../lib/data/use-tables.tsx'
import type { JSX } from 'react'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useRecordTitle } from '../../lib/data/use-record-title.ts'
import { fieldKindOf, formatFieldValue, type LocalValueOf } from '../../lib/fields/field-value.ts'
import { syncMessages as words } from '../../messages/sync.ts'

/** A formatted value; links show their record's title. */
export function ShownValue({
  column,
  value,
}: {
  readonly column: ColumnDescriptor
  readonly value: LocalValueOf | undefined
}): JSX.Element {
  const findTable = useFindTable()
  const text = formatFieldValue(column, value)
  if (text === undefined) return <span className="text-muted">{words.emptyValue}</span>
  const linked = column.references && findTable(column.references.table)
  if (fieldKindOf(column) === 'link' && linked) return <LinkedTitle table={linked} recordId={text} />
  return <span className="whitespace-pre-wrap">{text}</span>
}

function LinkedTitle({ table, recordId }: { readonly table: TableInfo; readonly recordId: string }): JSX.Element {
  return <>{useRecordTitle(table, recordId).title}</>
}
