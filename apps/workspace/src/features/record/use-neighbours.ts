import { useRecords } from '@holdfast/react'
import type { TableInfo } from '../../lib/data/tables.ts'
import { quoteName } from '../../lib/sql.ts'

/** Neighbours change with every change of the table; they are looked for again only so often. */
const THROTTLE_MS = 2_000

/** The records before and after one, in the order of what tells records apart: number or code, else title. */
export function useNeighbours(
  { name, codeColumn, titleColumn }: TableInfo,
  id: string,
): { readonly previous: string | undefined; readonly next: string | undefined } {
  const column = codeColumn ?? titleColumn
  const order = column === undefined ? `''` : `coalesce(${quoteName(column)}, '')`
  const table = quoteName(name)
  const { rows } = useRecords<{ readonly previous: string | null; readonly next: string | null }>(
    `with place as (select ${order} as at, id from ${table} where id = ?)
     select (select id from ${table} where (${order}, id) < (select at, id from place) order by ${order} desc, id desc limit 1) as previous,
            (select id from ${table} where (${order}, id) > (select at, id from place) order by ${order}, id limit 1) as next`,
    [id],
    { throttleMs: THROTTLE_MS },
  )
  const [found] = rows
  return { previous: found?.previous ?? undefined, next: found?.next ?? undefined }
}
