import { sql, type Catalog, type Transaction } from '@holdfast/postgres'
import { isReadable, type PeopleTable, titleOf } from './work-tables.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A record's key with its table. */
interface RecordKey {
  readonly table: string
  readonly record: string
}

/**
 * Reads users' names by account, as far as visible in the transaction.
 *
 * @param tables - names of an earlier one are preferred
 */
export async function readNames(
  tx: Transaction,
  tables: readonly PeopleTable[],
  accounts: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const ids = accounts.filter((id) => id !== null)
  const names = new Map<string, string>()
  if (ids.length === 0) return names
  for (const people of tables.toReversed()) {
    const rows = await tx.query<{ readonly id: string; readonly name: string | null }>(sql`
      select p.user_id::text as id, p.${sql.identifier(people.name)}::text as name
        from ${sql.identifier(people.table.schema, people.table.name)} p where p.user_id = any (${ids}::uuid[])`)
    for (const { id, name } of rows) if (name !== null) names.set(id, name)
  }
  return names
}

/** Reads the titles of records by {@link titleKey}, as far as the role may read them. */
export async function readTitles(
  tx: Transaction,
  catalog: Catalog,
  role: string,
  records: readonly RecordKey[],
): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>()
  for (const [name, own] of Map.groupBy(records, ({ table }) => table)) {
    const table = catalog.table('public', name)
    const title = table && titleOf(catalog, table, role)
    const id = table?.columns.find((column) => column.name === 'id' && column.baseType === 'uuid')
    if (!table || title === undefined || !id || !isReadable(table, role, 'id')) continue
    const ids = own.map(({ record }) => record).filter((record) => UUID.test(record))
    const rows = await tx.query<{ readonly id: string; readonly title: string | null }>(sql`
      select r.id::text as id, r.${sql.identifier(title)}::text as title
        from ${sql.identifier(table.schema, table.name)} r where r.id = any (${ids}::uuid[])`)
    for (const row of rows) if (row.title !== null) titles.set(titleKey({ table: name, record: row.id }), row.title)
  }
  return titles
}

export const titleKey = ({ table, record }: RecordKey): string => `${table} ${record}`

/** Truncates a text for a message. Returns undefined for blank text. */
export function shorten(text: string | null | undefined, charsMax: number): string | undefined {
  const chars = [...(text?.trim() ?? '')]
  if (chars.length === 0) return undefined
  return chars.length > charsMax ? `${chars.slice(0, charsMax - 1).join('')}…` : chars.join('')
}
