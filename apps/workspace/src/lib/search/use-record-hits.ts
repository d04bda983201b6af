import { useLocalDatabase, useRecords } from '@holdfast/react'
import { useDeferredValue } from 'react'
import { useTables } from '../data/use-tables.tsx'
import { quoteName } from '../sql.ts'
import { candidatesOf } from './candidates-of.ts'
import { type HitRow, hitsSql } from './hits-sql.ts'
import { hasWords, wordsOf } from './word-sql.ts'

/** Results of one table; more would not be read in a list that one types into. */
const HITS_PER_TABLE = 8
/** Shorter texts are in nearly every title. */
export const TYPED_MIN = 2

/** A record whose title or number has what was typed. */
export interface RecordHit {
  readonly table: string
  readonly tableLabel: string
  readonly recordId: string
  readonly title: string
  readonly code: string | undefined
}

/** Records on this device that have every typed word in title or number, up to 8 per table, after two typed characters. */
export function useRecordHits(text: string): { readonly hits: readonly RecordHit[]; readonly isReading: boolean } {
  const typed = useDeferredValue(text.trim())
  const searched = useTables().filter(({ titleColumn }) => titleColumn !== undefined)
  const { search } = useLocalDatabase()
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
          limit: HITS_PER_TABLE,
        }))
      : [],
  )
  const { rows, isCurrent, error } = useRecords<HitRow>(sql, values)
  // The query is for the text of a moment ago until the screen has caught up.
  const isReading = typed !== text.trim() || (isAsked && !isCurrent && error === undefined)
  if (!isAsked) return { hits: [], isReading }
  // The last answer stays until the next one is there; what no longer fits must not be taken by Enter.
  const wanted = wordsOf(text)
  const hits = rows.flatMap(({ place, id, title, code }) => {
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
      },
    ]
  })
  return { hits, isReading }
}
