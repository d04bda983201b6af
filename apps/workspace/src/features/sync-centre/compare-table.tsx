import type { RejectedChange } from '@holdfast/client'
import type { JSX } from 'react'
import { labelOf } from '../../lib/fields/field.ts'
import { formatMoment } from '../../lib/format.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import { ShownValue } from './shown-value.tsx'
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
                  {labelOf(column)}
                </th>
                <td className="px-3 py-2 break-words">
                  <ShownValue column={column} value={yours} />
                </td>
                <td className="px-3 py-2 break-words">
                  {change.serverRow && column.name in change.serverRow ? (
                    <ShownValue column={column} value={change.serverRow[column.name]} />
                  ) : record.serverRow ? (
                    <ShownValue column={column} value={record.serverRow[column.name]} />
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
