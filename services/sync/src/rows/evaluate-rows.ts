import { quoteIdentifier, sql, type Queryable } from '@holdfast/postgres'
import type { Tuple } from '@holdfast/replication'
import type { Evaluated, SqlExpression, TableRouter } from './table-router.ts'

function resultSql(expression: SqlExpression): string {
  switch (expression.result) {
    case 'flag':
      return `case when (${expression.sql}) then 't' else 'f' end`
    case 'value':
      return `(${expression.sql})::text`
    case 'moment':
      return `extract(epoch from (${expression.sql}))::text`
    case 'elements':
      return `array_to_json((${expression.sql})::text[])::text`
  }
}

/** Returns the columns that the expressions read. */
export function readsOf(expressions: readonly SqlExpression[]): readonly string[] {
  return [...new Set(expressions.flatMap((expression) => expression.reads))]
}

/**
 * Evaluates expressions of a table's policies for several rows in one Postgres statement. Rows are sent as text, one array per column, and cast to the
 * columns' types.
 * Functions called by policies run here and may be malicious. Even immutable ones may call others, so nothing here runs with rights.
 *
 * @param db - a read-only session of `holdfast_evaluator`
 * @param columnNames - column names in row order
 */
export async function evaluateRows(
  db: Queryable,
  { table }: TableRouter,
  expressions: readonly SqlExpression[],
  columnNames: readonly string[],
  rows: readonly Tuple[],
): Promise<readonly Evaluated[]> {
  const columns = readsOf(expressions).map((name) => {
    const position = columnNames.indexOf(name)
    const { typeName = 'text', collation } = table.columns.find((column) => column.name === name) ?? {}
    // A cast applies the type's collation.
    const type = collation === undefined ? typeName : `${typeName} collate ${collation}`
    return {
      name: quoteIdentifier(name),
      type,
      values: rows.map((row) => (position < 0 ? null : (row[position] ?? null))),
    }
  })
  // Postgres printed the type names and expressions; the rows are parameters.
  const list = columns.map((column, index) => `u.c${index}::${column.type} as ${column.name}, `).join('')
  const names = columns.map((_, index) => `c${index}, `).join('')
  const results = expressions.map(resultSql).join(', ')
  // The row numbers are an array too, so expressions that read no column still have rows.
  const sources = [...columns.map((column) => sql`${column.values}::text[]`), sql`${rows.map((_, row) => row)}::int[]`]
  const found = await db.query<{ results: Evaluated }>(sql`
    select array[${sql.trusted(results)}]::text[] as results
      from (select ${sql.trusted(list)}u."#row" from unnest(${sql.join(sources)}) u (${sql.trusted(names)}"#row")) r
     order by r."#row"
  `)
  return found.map((row) => row.results)
}
