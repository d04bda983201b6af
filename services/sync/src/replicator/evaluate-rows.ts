import type { Logger } from '@holdfast/foundation'
import { quoteIdentifier, sql, sqlstateOf, type Queryable } from '@holdfast/postgres'
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

/** Faults of a value or of a function's code, not of the moment. @see PostgreSQL manual, appendix A */
const PERMANENT_STATES = /^(0A|21|22|23|25006|2F|38|39|42|44|54|P0)/

/**
 * Lets Postgres evaluate a table's row filters and computed keys for some rows, in one statement. Rows travel as texts, one array per column that
 * is read, and are cast back to the columns' types there.
 *
 * An expression that fails for a row gives NULL for it, which puts the row into no bucket of that definition: nobody can select it through that
 * policy either, and one row must not hold up all others.
 *
 * Functions that policies call run here, and may be written to do harm; declared immutable, they may still call others. So nothing here runs with rights.
 *
 * @param db - a read-only pool of `holdfast_evaluator`; not a transaction, as statements may fail
 * @param columnNames - the columns of the rows, in their order
 */
export async function evaluateRows(
  db: Queryable,
  router: TableRouter,
  columnNames: readonly string[],
  rows: readonly Tuple[],
  logger: Logger,
): Promise<readonly Evaluated[]> {
  const { expressions } = router
  if (expressions.length === 0) return rows.map(() => NOTHING)
  try {
    return await evaluate(db, router, expressions, columnNames, rows)
  } catch (error) {
    if (!PERMANENT_STATES.test(sqlstateOf(error) ?? '')) throw error
    const half = Math.ceil(rows.length / 2)
    if (rows.length > 1) {
      return [
        ...(await evaluateRows(db, router, columnNames, rows.slice(0, half), logger)),
        ...(await evaluateRows(db, router, columnNames, rows.slice(half), logger)),
      ]
    }
    const results: (string | null)[] = []
    for (const expression of expressions) {
      const value = await evaluate(db, router, [expression], columnNames, rows).catch((failure: unknown) => {
        if (!PERMANENT_STATES.test(sqlstateOf(failure) ?? '')) throw failure
        logger.log('warn', 'a policy fails for a row, so the row is not synced by it', {
          table: `${router.table.schema}.${router.table.name}`,
          expression: expression.sql.slice(0, 200),
          sqlstate: sqlstateOf(failure),
        })
        return undefined
      })
      results.push(value?.[0]?.[0] ?? null)
    }
    return [results]
  }
}

async function evaluate(
  db: Queryable,
  { table }: TableRouter,
  expressions: readonly SqlExpression[],
  columnNames: readonly string[],
  rows: readonly Tuple[],
): Promise<readonly Evaluated[]> {
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
