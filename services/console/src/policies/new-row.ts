import { sql, type Pool } from '@holdfast/postgres'
import { readCatalog, type KnownTable } from '../tables/read-table.ts'
import { evaluateOver, Failed, type Attempts, type PrintedRow } from './evaluate-policies.ts'

interface ColumnSource {
  readonly name: string
  /** SQL of the default, or of a generated column. */
  readonly expression: string | null
  readonly isGenerated: boolean
}

/**
 * Prints the row that an insert or update would write, before triggers: proposed values over the existing row or the defaults, then generated columns.
 *
 * @param pool - of the superuser, for the catalog
 */
export async function printNewRow(
  attempts: Attempts,
  pool: Pool,
  table: KnownTable,
  {
    existing,
    values,
    columns,
  }: { readonly existing: PrintedRow | undefined; readonly values: string; readonly columns: readonly string[] },
): Promise<PrintedRow | Failed> {
  const sources = await readSources(pool, table)
  const type = sql.identifier(table.schema, table.name)
  const defaults = sources.map(({ name, expression, isGenerated }) =>
    expression === null || isGenerated || columns.includes(name) ? sql`null` : sql`(${sql.trusted(expression)})`,
  )
  const base = existing === undefined ? sql`row(${sql.join(defaults)})::${type}` : sql`${existing}::text::${type}`
  const written = await attempts.run((tx) =>
    tx.query<{ row: string }>(
      sql`select pg_catalog.jsonb_populate_record(${base}, ${values}::text::jsonb)::text as row`,
    ),
  )
  if (written instanceof Failed) return written
  const row = written[0]?.row ?? ''
  if (!sources.some(({ isGenerated }) => isGenerated)) return row
  const computed = sources.map(({ name, expression, isGenerated }) =>
    isGenerated && expression !== null
      ? sql`(${sql.trusted(expression)})`
      : sql`${sql.identifier(table.name)}.${sql.identifier(name)}`,
  )
  return await evaluateOver<string>(attempts, table, row, sql`row(${sql.join(computed)})::${type}::text`)
}

async function readSources(pool: Pool, { oid }: KnownTable): Promise<readonly ColumnSource[]> {
  return await readCatalog(pool, (tx) =>
    tx.query<ColumnSource>(sql`
      select a.attname::text as name, pg_catalog.pg_get_expr(d.adbin, d.adrelid) as expression, a.attgenerated <> '' as "isGenerated"
        from pg_catalog.pg_attribute a
        left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
       where a.attrelid = ${oid}::int8::oid and a.attnum > 0 and not a.attisdropped
       order by a.attnum`),
  )
}
