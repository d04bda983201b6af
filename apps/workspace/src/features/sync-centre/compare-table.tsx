import type { RejectedChange } from '@holdfast/client'
import type { ColumnDescriptor } from '@holdfast/protocol'
import type { JSX } from 'react'
import { useDevice } from '../../lib/data/device-context.tsx'
import { toTableInfo } from '../../lib/data/tables.ts'
import { useRecordTitle } from '../../lib/data/use-record-title.ts'
import { fieldKindOf, formatFieldValue, type LocalValueOf } from '../../lib/field-value.ts'
import { formatMoment, humanize } from '../../lib/format.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import type { RejectedRecord } from './use-rejected-record.ts'

/** Yours beside the server's, field by field. */
export function CompareTable({
  change,
  record,
}: {
  readonly change: RejectedChange
  readonly record: RejectedRecord
}): JSX.Element | null {
  const isDelete = change.operations.some(({ op, id }) => op === 'DELETE' && id === change.recordId)
  const rows = isDelete ? record.changedByOthers : [...record.fields, ...record.changedByOthers]
  const sentence = isDelete ? <p>{words.yoursIsDelete(record.noun)}</p> : null
  if (rows.length === 0) return sentence
  return (
    <>
      {sentence}
      <div className="rounded-md border border-border">
        <table className="w-full table-fixed border-collapse text-left text-body">
          <thead className="bg-surface text-small text-muted">
            <tr>
              <th scope="col" className="w-[28%] px-3 py-1.5 font-medium">
                {words.field}
              </th>
              <th scope="col" className="px-3 py-1.5 font-medium">
                {words.yoursAt(formatMoment(new Date(change.at)))}
              </th>
              <th scope="col" className="px-3 py-1.5 font-medium">
                {words.onServer}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ column, yours }) => (
              <tr key={column.name} className="border-t border-border align-top">
                <th scope="row" className="px-3 py-2 font-medium break-words">
                  {humanize(column.name)}
                </th>
                <td className="px-3 py-2 break-words">
                  <Value column={column} value={yours} />
                </td>
                <td className="px-3 py-2 break-words">
                  {change.serverRow && column.name in change.serverRow ? (
                    <Value column={column} value={change.serverRow[column.name]} />
                  ) : record.serverRow ? (
                    <Value column={column} value={record.serverRow[column.name]} />
                  ) : (
                    <span className="text-muted">{words.notThere}</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function Value({
  column,
  value,
}: {
  readonly column: ColumnDescriptor
  readonly value: LocalValueOf | undefined
}): JSX.Element {
  const { schema } = useDevice()
  const text = formatFieldValue(column, value)
  if (text === undefined) return <span className="text-muted">{words.emptyValue}</span>
  const linked = column.references && schema.tables.find(({ name }) => name === column.references?.table)
  if (fieldKindOf(column) === 'link' && linked) return <LinkedTitle table={toTableInfo(linked)} recordId={text} />
  return <span className="whitespace-pre-wrap">{text}</span>
}

function LinkedTitle({
  table,
  recordId,
}: {
  readonly table: ReturnType<typeof toTableInfo>
  readonly recordId: string
}): JSX.Element {
  return <>{useRecordTitle(table, recordId).title}</>
}
