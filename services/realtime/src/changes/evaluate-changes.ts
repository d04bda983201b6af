import { quoteIdentifier, quoteName, sql, type Pool } from '@holdfast/postgres'
import { EVALUATION_MS } from '../limits.ts'
import { renderFilter, type Filter } from './filter.ts'
import type { TableInfo } from './table-info.ts'

/** The name of the row in expressions: that of its table, as policies have it. */
export const rowsOf = ({ schema, name }: Pick<TableInfo, 'schema' | 'name'>): string =>
  `unnest($1::text[]) with ordinality "#rows" ("#row", "#position")
   cross join lateral unnest(array["#rows"."#row"::${quoteName(schema, name)}]) as ${quoteIdentifier(name)}`

/**
 * Lets Postgres print the columns of some rows as JSON. Types and casts of the project run here, and operators in {@link evaluateFilters}: as the evaluator, which
 * has the rights of the API roles, no claims, and writes nothing.
 *
 * @param rows - composite values of the table
 * @returns in the order of the rows
 */
export async function printRows(
  pool: Pool,
  table: TableInfo,
  rows: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const row = quoteIdentifier(table.name)
  const cells = table.columns.map(({ name, isBytes }) => {
    const cell = `${row}.${quoteIdentifier(name)}`
    // Without the mark of hexadecimal bytes, as wal2json writes them.
    return `pg_catalog.to_jsonb(${isBytes ? `pg_catalog.substr(${cell}::text, 3)` : cell})::text`
  })
  const printed = await evaluate<(string | null)[]>(pool, table, `array[${cells.join(', ')}]::text[]`, rows)
  return printed.map((values) => values.map((value) => value ?? 'null'))
}

/**
 * Lets Postgres say which filters each row passes, for all people at once.
 *
 * @throws what Postgres refuses: a column that is not there, a value that has not its type
 */
export async function evaluateFilters(
  pool: Pool,
  table: TableInfo,
  filters: readonly Filter[],
  rows: readonly string[],
): Promise<readonly (readonly boolean[])[]> {
  const passes = filters.map((filter) => renderFilter(filter, quoteIdentifier(table.name)))
  return await evaluateConditions(pool, table, passes, rows)
}

/** Lets Postgres say which conditions on the row alone hold for each row. */
export async function evaluateConditions(
  pool: Pool,
  table: TableInfo,
  conditions: readonly string[],
  rows: readonly string[],
): Promise<readonly (readonly boolean[])[]> {
  const hold = conditions.map((condition) => `coalesce((${condition}), false)`)
  return await evaluate<boolean[]>(pool, table, `array[${hold.join(', ')}]::bool[]`, rows)
}

/** A row of NULLs: enough for Postgres to look at the columns and values of a filter. */
export function emptyRow({ columns }: TableInfo): string {
  return `(${columns.map(() => '').join(',')})`
}

function evaluate<T>(pool: Pool, table: TableInfo, expression: string, rows: readonly string[]): Promise<readonly T[]> {
  return pool.transaction(async (tx) => {
    await tx.execute(sql`select pg_catalog.set_config('statement_timeout', ${String(EVALUATION_MS)}, true),
      pg_catalog.set_config('TimeZone', 'UTC', true)`)
    const text = `select ${expression} as value from ${rowsOf(table)} order by "#rows"."#position"`
    return (await tx.client.query<{ value: T }>(text, [rows])).rows.map(({ value }) => value)
  })
}
