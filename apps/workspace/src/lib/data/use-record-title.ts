import { useRecords } from '@holdfast/react'
import { quoteName } from '../sql.ts'
import type { TableInfo } from './tables.ts'
import { useFindTable } from './use-tables.tsx'

/** Returns a record's title: its title column, otherwise what it links to, otherwise the start of its id. */
export function useRecordTitle(
  table: TableInfo,
  recordId: string,
): { readonly title: string; readonly isHere: boolean; readonly isLoading: boolean } {
  const { rows, isLoading } = useRecords<{ readonly title: string | number | null; readonly links: string | null }>(
    titleSql(table, useFindTable()),
    [recordId],
  )
  const [row] = rows
  const title = [row?.title, row?.links].find((value) => value !== null && value !== undefined && value !== '')
  return { title: title === undefined ? shortId(recordId) : String(title), isHere: rows.length > 0, isLoading }
}

/** Links that name a record without a title, such as an answer: its question, and the inspection that it belongs to. */
const LINKS_MAX = 2

/** Selects `title`, and `links` where the table needs it. */
export function titleSql(table: TableInfo, findTable: (name: string) => TableInfo | undefined): string {
  const title = table.titleColumn === undefined ? 'null' : `r.${quoteName(table.titleColumn)}`
  const linked = table.descriptor.columns.flatMap(({ name, references }) => {
    const target = references && findTable(references.table)
    return target?.titleColumn === undefined || isAuthor(name)
      ? []
      : [{ name, target, titleColumn: target.titleColumn }]
  })
  // A table's first link is usually what the record is part of; the later ones say which it is.
  const parts = linked
    .slice(0, LINKS_MAX)
    .toReversed()
    .map(
      ({ name, target, titleColumn }) =>
        `(select ${quoteName(titleColumn)} from ${quoteName(target.name)} where id = r.${quoteName(name)})`,
    )
  const links = parts.length === 0 ? 'null' : `concat_ws(' · ', ${parts.join(', ')})`
  return `select ${title} as title, ${links} as links from ${quoteName(table.name)} r where r.id = ?`
}

function isAuthor(column: string): boolean {
  return column === 'created_by' || column === 'updated_by'
}

/** Shortens an id, still distinguishing records. */
export function shortId(id: string): string {
  return id.length > 12 ? id.slice(0, 8) : id
}
