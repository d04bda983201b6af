import { Download } from 'lucide-react'
import type { JSX } from 'react'
import type { SqlResult } from '@holdfast/protocol'
import { Button } from '@holdfast/workspace'
import { formatCount } from '../../lib/format.ts'
import { saveText } from '../../lib/save-text.ts'
import { toCsv, toJson } from './export-rows.ts'

/** The result of one statement: its rows as a table with export, or what it did. */
export function ResultTable({ result, place }: { readonly result: SqlResult; readonly place: number }): JSX.Element {
  const { columns, rows, count, tag } = result
  if (!columns) return <p className="font-mono text-mono text-muted">{tag}</p>
  const left = count - rows.length
  return (
    <section aria-label={`Result ${place}`} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <p className="text-small text-muted tabular-nums">
          {formatCount(count)} {count === 1 ? 'row' : 'rows'}
          {left > 0 ? `, the first ${formatCount(rows.length)} shown` : ''}
        </p>
        <Button
          size="sm"
          icon={<Download size={14} aria-hidden />}
          onPress={() => saveText('result.csv', toCsv(result), 'text/csv')}
        >
          CSV
        </Button>
        <Button
          size="sm"
          icon={<Download size={14} aria-hidden />}
          onPress={() => saveText('result.json', toJson(result), 'application/json')}
        >
          JSON
        </Button>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by keys */}
      <div
        tabIndex={0}
        role="region"
        aria-label={`Rows of result ${place}`}
        className="max-h-96 overflow-auto rounded-lg border border-border"
      >
        <table className="min-w-full border-collapse text-left font-mono text-mono">
          <thead className="sticky top-0 bg-surface">
            <tr>
              {columns.map(({ name, type }, at) => (
                // oxlint-disable-next-line react/no-array-index-key -- names may repeat
                <th key={at} scope="col" className="border-b border-border px-3 py-1.5 font-medium whitespace-nowrap">
                  {name} <span className="font-regular text-subtle">{type}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-border">
            {rows.map((row, line) => (
              // oxlint-disable-next-line react/no-array-index-key -- rows have no identity
              <tr key={line}>
                {row.map((value, at) => (
                  // oxlint-disable-next-line react/no-array-index-key -- columns have a place only
                  <td
                    key={at}
                    className="max-w-96 truncate px-3 py-1 align-top whitespace-pre"
                    title={value ?? undefined}
                  >
                    {value === null ? <span className="text-subtle italic">null</span> : value}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
