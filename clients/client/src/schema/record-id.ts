import type { TableDescriptor } from '@holdfast/protocol'

/** Values of a new row by column, as the local database will hold them. */
export type KeyValues = Readonly<Record<string, string | number | bigint | boolean | null | undefined>>

/**
 * The `id` under which a new row has to be inserted, so that it is the same row once the server has it. Of a table whose key is another than the one
 * column `id` it is made of the key's values: of one column its text, of several the text of a JSON array of their texts.
 *
 * @param row - has the values of the key's columns
 * @throws {TypeError} when one of them is missing, as it is of keys that only the database makes
 */
export function recordId(table: Pick<TableDescriptor, 'name' | 'key'>, row: KeyValues): string {
  const texts = (table.key ?? ['id']).map((column) => {
    const value = row[column]
    if (value === null || value === undefined)
      throw new TypeError(`${table.name} needs a value of ${column} for its id`)
    return typeof value === 'boolean' ? String(Number(value)) : String(value)
  })
  const [only] = texts
  return only !== undefined && texts.length === 1 ? only : JSON.stringify(texts)
}
