import type { CommonPowerSyncDatabase } from '@powersync/common'
import type { Field } from '../../lib/fields/field.ts'
import { lowerAscii, quoteName } from '../../lib/sql.ts'
import type { PastedCell } from './edit-changes.ts'

/** Returns the ids of the linked records that pasted titles name. */
export async function readLinkIds(
  database: Pick<CommonPowerSyncDatabase, 'getAll'>,
  fields: readonly Field[],
  cells: readonly (readonly PastedCell[])[],
): Promise<(field: Field, title: string) => readonly string[]> {
  const ids = new Map<string, readonly string[]>()
  for (const [column, field] of fields.entries()) {
    const titleColumn = field.link?.titleColumn
    if (!field.link || titleColumn === undefined) continue
    const titles = titlesIn(cells, column)
    if (titles.length === 0) continue
    const found = await database.getAll<{ readonly id: string; readonly title: string }>(
      `select id, lower(${quoteName(titleColumn)}) as title from ${quoteName(field.link.table)}
        where lower(${quoteName(titleColumn)}) in (select value from json_each(?))`,
      [JSON.stringify(titles)],
    )
    for (const { id, title } of found) {
      const key = keyOf(field, title)
      ids.set(key, [...(ids.get(key) ?? []).slice(0, 1), id])
    }
  }
  return (field, title) => ids.get(keyOf(field, lowerAscii(title.trim()))) ?? []
}

/** Returns the titles in one column of the pasted cells. A single cell applies to every column. */
function titlesIn(cells: readonly (readonly PastedCell[])[], column: number): readonly string[] {
  const texts = cells.map((row) => row[cells.length === 1 && row.length === 1 ? 0 : column]?.text.trim() ?? '')
  return [...new Set(texts.filter((text) => text !== '').map(lowerAscii))]
}

function keyOf(field: Field, title: string): string {
  return `${field.name}/${title}`
}
