import { renderCsv } from '../../lib/csv.ts'
import { importMessages as words } from '../../messages/import.ts'
import type { Issue } from './plan-import.ts'

/** Renders refused rows as in the file, preceded by their position and the reasons. Once corrected, the result can be imported. */
export function renderIssues(header: readonly string[], issues: readonly Issue[]): string {
  const rows = Map.groupBy(issues, ({ row }) => row)
  return renderCsv([
    [words.row, words.reason, ...header],
    ...[...rows].map(([row, own]) => [
      String(row.row),
      own
        .map(({ column, reason }) => (column === undefined ? reason : `${header[column] ?? ''}: ${reason}`))
        .join('; '),
      ...header.map((_, column) => row.cells[column] ?? ''),
    ]),
  ])
}
