import type { TableDescriptor } from '@holdfast/protocol'

/** Column values of a new row, as stored locally. */
export type KeyValues = Readonly<Record<string, string | number | bigint | boolean | null | undefined>>

/**
 * Returns the `id` for inserting a new row, matching its later server row. For tables whose key is not the single column `id` it is derived from the key: the
 * text of a single column, or a JSON array of the texts of several.
 *
 * @param row - contains the key columns
 * @throws {TypeError} if one is missing, as in database-generated keys
 */
export function recordId(table: Pick<TableDescriptor, 'name' | 'key'>, row: KeyValues): string {
  const texts = (table.key ?? ['id']).map((column) => {
    const value = row[column]
    if (value === null || value === undefined)
      throw new TypeError(`${table.name} needs a value for ${column} to form its id`)
    return typeof value === 'boolean' ? String(Number(value)) : String(value)
  })
  const [only] = texts
  return only !== undefined && texts.length === 1 ? only : JSON.stringify(texts)
}
