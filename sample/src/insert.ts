import { assert } from '@holdfast/foundation'
import { sql, type Transaction } from '@holdfast/postgres'

/**
 * Writes many rows with one statement. Columns that the first row does not have get their defaults.
 *
 * @param rows - objects with the same keys, the names of the columns; values as JSON has them
 */
export async function insertRows(
  tx: Transaction,
  schema: string,
  table: string,
  rows: readonly object[],
): Promise<void> {
  const [first] = rows
  assert(first, `there are rows for ${schema}.${table}`)
  const target = sql.identifier(schema, table)
  const columns = sql.join(Object.keys(first).map((column) => sql.identifier(column)))
  const written = await tx.execute(sql`
    insert into ${target} (${columns})
    select ${columns} from json_populate_recordset(null::${target}, ${JSON.stringify(rows)}::json)
  `)
  assert(written === rows.length, `${schema}.${table} took all rows`)
}
