import type { JSX, ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { formatCount } from '../../lib/format.ts'
import { saveFile } from '../../lib/save-file.ts'
import { importMessages as words } from '../../messages/import.ts'
import { FileTable } from './file-table.tsx'
import type { ParsedFile } from './parse-file.ts'
import type { ImportPlan, Issue } from './plan-import.ts'
import { renderIssues } from './render-issues.ts'

/** Limit of issues on screen; the downloaded file has all. */
const SHOWN_MAX = 100

/** What an import will do, and which rows it leaves out. */
export function PlanSummary({
  table,
  file,
  plan,
  title = words.result,
  children,
}: {
  readonly table: TableInfo
  readonly file: ParsedFile
  readonly plan: ImportPlan
  readonly title?: string
  /** Rendered controls. */
  readonly children: ReactNode
}): JSX.Element {
  const many = table.many
  const lines = [
    [plan.inserted, words.inserts(plan.inserted, table.noun, many)],
    [plan.updated, words.updates(plan.updated, table.noun, many)],
    [plan.same, words.same(plan.same)],
    [plan.refusedRows, words.refused(plan.refusedRows)],
  ] as const
  return (
    <section aria-label={title} className="flex flex-col gap-4">
      <h2 className="text-title">{title}</h2>
      <div role="status">
        <ul className="flex list-disc flex-col gap-1 pl-5 text-body">
          {lines.map(([count, text]) => (count === 0 ? null : <li key={text}>{text}</li>))}
          {plan.changes.length === 0 ? <li>{words.nothing}</li> : null}
        </ul>
      </div>
      {plan.issues.length === 0 ? null : <Issues file={file} table={table} issues={plan.issues} />}
      {children}
    </section>
  )
}

function Issues({
  file,
  table,
  issues,
}: {
  readonly file: ParsedFile
  readonly table: TableInfo
  readonly issues: readonly Issue[]
}): JSX.Element {
  return (
    <div className="flex flex-col items-start gap-3">
      <FileTable
        label={words.issues}
        titles={[words.row, words.column, words.value, words.reason]}
        className="max-h-96"
      >
        {issues.slice(0, SHOWN_MAX).map(({ row, column, reason }, index) => (
          <tr key={`${row.row}/${String(index)}`} className="border-t border-border">
            <td className="px-3 py-1.5 tabular-nums">{formatCount(row.row)}</td>
            <td className="px-3 py-1.5">{column === undefined ? words.wholeRow : file.header[column]}</td>
            <td className="max-w-48 truncate px-3 py-1.5">{column === undefined ? '' : row.cells[column]}</td>
            <td className="px-3 py-1.5">{reason}</td>
          </tr>
        ))}
      </FileTable>
      {issues.length > SHOWN_MAX ? (
        <p className="text-small text-muted">{words.moreIssues(issues.length - SHOWN_MAX)}</p>
      ) : null}
      <Button
        size="sm"
        onPress={() =>
          saveFile(words.downloadName(table.label), renderIssues(file.header, issues), 'text/csv;charset=utf-8')
        }
      >
        {words.download}
      </Button>
    </div>
  )
}
