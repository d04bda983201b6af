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

/** The columns that some expressions read. */
export function readsOf(expressions: readonly SqlExpression[]): readonly string[] {
  return [...new Set(expressions.flatMap((expression) => expression.reads))]
}

/**
 * Lets Postgres evaluate expressions of a table's policies for some rows, in one statement. Rows travel as texts, one array per column that is read, and
 * are cast back to the columns' types there.
 *
 * Functions that policies call run here, and may be written to do harm; declared immutable, they may still call others. So nothing here runs with rights.
 *
 * @param db - a read-only session of `holdfast_evaluator`
 * @param columnNames - the columns of the rows, in their order
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
    // A cast has the collation of its type.
    const type = collation === undefined ? typeName : `${typeName} collate ${collation}`
    return {
      name: quoteIdentifier(name),
      type,
      values: rows.map((row) => (position < 0 ? null : (row[position] ?? null))),
    }
  })
  // Type names and expressions were printed by Postgres; the rows are parameters.
  const list = columns.map((column, index) => `u.c${index}::${column.type} as ${column.name}, `).join('')
  const names = columns.map((_, index) => `c${index}, `).join('')
  const results = expressions.map(resultSql).join(', ')
  // The number of the row is an array too, so that expressions that read no column have rows as well.
  const sources = [...columns.map((column) => sql`${column.values}::text[]`), sql`${rows.map((_, row) => row)}::int[]`]
  const found = await db.query<{ results: Evaluated }>(sql`
    select array[${sql.trusted(results)}]::text[] as results
      from (select ${sql.trusted(list)}u."#row" from unnest(${sql.join(sources)}) u (${sql.trusted(names)}"#row")) r
     order by r."#row"
  `)
  return found.map((row) => row.results)
}
