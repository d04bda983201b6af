import { explainIncomplete, type IncompleteTable } from '@holdfast/client'
import type { JSX } from 'react'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { useFindTable } from '../../lib/data/use-tables.tsx'
import { humanize } from '../../lib/format.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import { incompleteMessages } from '../../messages/incomplete.ts'
import { asSentence } from './as-sentence.ts'

/** Tables with rows missing on this device, with reasons and advice. Announces tables added while the tab is open. */
export function IncompleteTables({ tables }: { readonly tables: readonly IncompleteTable[] }): JSX.Element {
  const findTable = useFindTable()
  return (
    <div role="status" className="flex flex-col gap-4 not-empty:mb-4">
      {tables.map((table) => {
        const known = findTable(table.table)
        const label = known?.label ?? humanize(table.table)
        const { code } = explainIncomplete(table, label)
        const title = incompleteMessages.titles[table.reason](known?.many ?? label.toLowerCase())
        const advice = incompleteMessages.advice[table.reason]
        return (
          <article
            key={`${table.table} ${table.reason} ${table.policy ?? ''}`}
            aria-label={words.incompleteLabel(label)}
            className="overflow-hidden rounded-lg border border-border bg-raised"
          >
            <header className="flex items-start gap-3 border-b border-border bg-warning-soft px-4 py-3">
              <span className="pt-0.5 text-warning">
                <StateGlyph name="gap" size={18} />
              </span>
              <h2 className="min-w-0 flex-1 text-heading">
                {label} <span className="font-regular">{words.incompleteTitle}</span>
              </h2>
            </header>
            <div className="flex flex-col gap-2 px-4 py-4">
              <p>
                <span className="font-medium">{asSentence(title)}</span> {asSentence(advice)}
              </p>
              <p className="text-small text-muted">{code}</p>
            </div>
          </article>
        )
      })}
    </div>
  )
}
