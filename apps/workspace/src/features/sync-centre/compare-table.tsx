import type { RejectedChange } from '@holdfast/client'
import type { JSX } from 'react'
import { TextVersions } from '../../components/fields/text-versions.tsx'
import { labelOf } from '../../lib/data/column-words.ts'
import { formatMoment } from '../../lib/format.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import { conflictingTexts } from '../../lib/records/conflicting-texts.ts'
import { ShownValue } from './shown-value.tsx'
import type { RejectedRecord } from './use-rejected-record.ts'

/** Compares the user's values with the server's, field by field. */
export function CompareTable({
  change,
  record,
}: {
  readonly change: RejectedChange
  readonly record: RejectedRecord
}): JSX.Element | null {
  const isDelete = change.operations.some(({ op, id }) => op === 'DELETE' && id === change.recordId)
  const texts = isDelete ? [] : conflictingTexts(change, record)
  const rows = (isDelete ? record.changedByOthers : [...record.fields, ...record.changedByOthers]).filter(
    ({ column }) => !texts.some((text) => text.column === column),
  )
  const before = isDelete ? <p>{words.yoursIsDelete(record.noun)}</p> : null
  const mine = words.yoursAt(formatMoment(new Date(change.at)))
  const sentence = (
    <>
      {before}
      {texts.map((text) => (
        <section key={text.column.name} aria-label={labelOf(text.column)} className="flex flex-col gap-1.5">
          <p className="text-small font-medium">{labelOf(text.column)}</p>
          <TextVersions mine={{ title: mine, text: text.mine }} theirs={{ title: words.onServer, text: text.theirs }} />
        </section>
      ))}
    </>
  )
  if (rows.length + record.lost.length === 0) return sentence
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
                {mine}
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
            <LostRows lost={record.lost} />
          </tbody>
        </table>
      </div>
    </>
  )
}

/** Values written to fields that no longer exist for this user. */
function LostRows({ lost }: Pick<RejectedRecord, 'lost'>): JSX.Element {
  return (
    <>
      {lost.map(({ name, label, yours }) => (
        <tr key={name} className="border-t border-border align-top">
          <th scope="row" className="px-3 py-2 font-medium break-words">
            {label}
          </th>
          <td className="px-3 py-2 break-words whitespace-pre-wrap">
            {yours === null ? <span className="text-muted">{words.emptyValue}</span> : String(yours)}
          </td>
          <td className="px-3 py-2 break-words text-muted">{words.notThere}</td>
        </tr>
      ))}
    </>
  )
}
