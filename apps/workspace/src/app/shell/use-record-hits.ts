import { useRecords } from '@holdfast/react'
import { useTables } from '../../lib/data/use-tables.ts'
import { useDeferredValue } from 'react'
import { escapeLike, quoteName } from '../../lib/sql.ts'

const TYPED_MIN = 2
const HITS_PER_TABLE = 8

/** A record whose title has what was typed. */
export interface RecordHit {
  readonly table: string
  readonly tableLabel: string
  readonly recordId: string
  readonly title: string
  /** Tells records of the same title apart. */
  readonly code: string | undefined
}

/** Records on this device by their title, up to 8 per table, after two typed characters. Titles that begin with the text come first. */
export function useRecordHits(text: string): { readonly hits: readonly RecordHit[]; readonly isReading: boolean } {
  const typed = useDeferredValue(text.trim())
  const tables = useTables()
  const searched = tables.filter(({ titleColumn }) => titleColumn !== undefined)
  const isAsked = typed.length >= TYPED_MIN && searched.length > 0
  const sql = isAsked
    ? searched
        .map(({ name, titleColumn, codeColumn }, index) => {
          const title = quoteName(titleColumn ?? 'id')
          return `select * from (select ${index} as place, id, ${title} as title, ${codeColumn === undefined ? 'null' : quoteName(codeColumn)} as code from ${quoteName(name)}
                  where ${title} like ?1 escape '\\' order by ${title} like ?2 escape '\\' desc, ${title} limit ${HITS_PER_TABLE})`
        })
        .join(' union all ')
    : ''
  const pattern = escapeLike(typed)
  const { rows, isCurrent, error } = useRecords<{
    readonly place: number
    readonly id: string
    readonly title: string
    readonly code: string | null
  }>(sql, isAsked ? [`%${pattern}%`, `${pattern}%`] : [])
  // The query is for the text of a moment ago until the screen has caught up.
  const isReading = typed !== text.trim() || (isAsked && !isCurrent && error === undefined)
  if (!isAsked) return { hits: [], isReading }
  // The last answer stays until the next one is there; what no longer fits must not be taken by Enter.
  const wanted = text.trim().toLowerCase()
  const hits = rows.flatMap(({ place, id, title, code }) => {
    if (!String(title).toLowerCase().includes(wanted)) return []
    const table = searched[place]
    return table ? [{ table: table.name, tableLabel: table.label, recordId: id, title, code: code ?? undefined }] : []
  })
  return { hits, isReading }
}
