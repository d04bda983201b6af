import { useLocalDatabase, useRecords } from '@holdfast/react'
import { useDeferredValue } from 'react'
import { useTables, useWordedSchema } from '../data/use-tables.tsx'
import { quoteName } from '../sql.ts'
import { candidatesOf } from './candidates-of.ts'
import { factColumns, factWords, hitFactsOf } from './hit-facts.ts'
import { type HitRow, hitsSql } from './hits-sql.ts'
import { hasWords, wordsOf } from './word-sql.ts'

/** Results per table; a live result list must stay short. */
const HITS_PER_TABLE = 8
/** Minimum text length: shorter texts match nearly every title. */
export const TYPED_MIN = 2

/** A record with a matching title or number. */
export interface RecordHit {
  readonly table: string
  readonly tableLabel: string
  readonly recordId: string
  readonly title: string
  readonly code: string | undefined
  /** What tells it from records with the same title. */
  readonly facts: string
}

/** Returns local records matching every word in title or number, up to 8 per table, from two characters on. */
export function useRecordHits(text: string): { readonly hits: readonly RecordHit[]; readonly isReading: boolean } {
  const typed = useDeferredValue(text.trim())
  const searched = useTables().filter(({ titleColumn }) => titleColumn !== undefined)
  const { search } = useLocalDatabase()
  const schema = useWordedSchema()
  const isAsked = typed.length >= TYPED_MIN && searched.length > 0
  const { text: sql, values } = hitsSql(
    isAsked
      ? searched.map((table) => ({
          table,
          columns: [table.titleColumn, table.codeColumn].flatMap((column) =>
            column === undefined ? [] : [`t.${quoteName(column)}`],
          ),
          words: wordsOf(typed),
          candidates: candidatesOf(search, table.name, []),
          facts: factColumns(hitFactsOf(table, schema)),
          limit: HITS_PER_TABLE,
        }))
      : [],
  )
  const { rows, isCurrent, error } = useRecords<HitRow>(sql, values)
  // The query lags behind the input until the screen has caught up.
  const isReading = typed !== text.trim() || (isAsked && !isCurrent && error === undefined)
  if (!isAsked) return { hits: [], isReading }
  // The previous result stays until the next; outdated hits must not be selectable with Enter.
  const wanted = wordsOf(text)
  const hits = rows.flatMap((row) => {
    const { place, id, title, code } = row
    const named = [title, code].map((one) => String(one ?? ''))
    if (!hasWords(named, wanted)) return []
    const table = searched[place]
    if (!table) return []
    return [
      {
        table: table.name,
        tableLabel: table.label,
        recordId: id,
        title: String(title ?? id),
        code: code === null ? undefined : String(code),
        facts: factWords(hitFactsOf(table, schema), row),
      },
    ]
  })
  return { hits, isReading }
}
