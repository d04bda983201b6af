import { quoteIdentifier, sql, type Queryable } from '@holdfast/postgres'
import type { Tuple } from '@holdfast/replication'
import type { Evaluated, SqlExpression, TableRouter } from './table-router.ts'

const NOTHING: Evaluated = []

function resultSql(expression: SqlExpression): string {
  switch (expression.result) {
    case 'flag':
      return `case when (${expression.sql}) then 't' else 'f' end`
    case 'value':
      return `(${expression.sql})::text`
    case 'elements':
      return `array_to_json((${expression.sql})::text[])::text`
  }
}

/**
 * Lets Postgres evaluate a table's row filters and computed keys for some rows, in one statement. Rows travel as texts, one array per column that
 * is read, and are cast back to the columns' types there.
 *
 * @param columnNames - the columns of the rows, in their order
 */
export async function evaluateRows(
  db: Queryable,
  router: TableRouter,
  columnNames: readonly string[],
  rows: readonly Tuple[],
): Promise<readonly Evaluated[]> {
  const { expressions, table } = router
  if (expressions.length === 0) return rows.map(() => NOTHING)
  const reads = [...new Set(expressions.flatMap((expression) => expression.reads))]
  const columns = reads.map((name) => {
    const position = columnNames.indexOf(name)
    const type = table.columns.find((column) => column.name === name)?.typeName ?? 'text'
    return {
      name: quoteIdentifier(name),
      type,
      values: rows.map((row) => (position < 0 ? null : (row[position] ?? null))),
    }
  })
  // Type names and expressions were printed by Postgres; the rows are parameters.
  const list = columns.map((column, index) => `u.c${index}::${column.type} as ${column.name}`).join(', ')
  const names = columns.map((_, index) => `c${index}`).join(', ')
  const results = expressions.map(resultSql).join(', ')
  const sources = columns.map((column) => sql`${column.values}::text[]`)
  const found = await db.query<{ results: Evaluated }>(sql`
    select array[${sql.trusted(results)}]::text[] as results
      from (select ${sql.trusted(list === '' ? '' : `${list}, `)}u.position
              from unnest(${sql.join(sources)}) with ordinality u (${sql.trusted(`${names}, position`)})) r
     order by r.position
  `)
  return found.map((row) => row.results)
}
