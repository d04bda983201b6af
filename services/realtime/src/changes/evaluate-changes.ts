import { quoteIdentifier, quoteName, type Connections, type PipelineStep } from '@holdfast/postgres'
import { EVALUATION_MS, TRANSACTION_BYTES_MAX } from '../limits.ts'
import { renderFilter, renderPatterns, type Filter } from './filter.ts'
import { constant, readInOneTrip } from './one-trip.ts'
import type { TableInfo } from './table-info.ts'

/** Milliseconds for which an answer may take longer than Postgres lets the statement run. */
const PATIENCE_MS = 30_000

/** Bytes of a row that is printed: the largest that is followed, each character of it escaped. */
const PRINTED_BYTES_MAX = 6 * TRANSACTION_BYTES_MAX

const SETTINGS = [constant(`set local statement_timeout = ${EVALUATION_MS}`), constant(`set local timezone = 'UTC'`)]

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
  pool: Connections,
  table: TableInfo,
  rows: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const row = quoteIdentifier(table.name)
  const cells = table.columns.map(({ name, isBytes }) => {
    const cell = `${row}.${quoteIdentifier(name)}`
    // Without the mark of hexadecimal bytes, as wal2json writes them.
    return `pg_catalog.to_jsonb(${isBytes ? `pg_catalog.substr(${cell}::text, 3)` : cell})::text`
  })
  if (cells.length === 0) return rows.map(() => [])
  const printed = await evaluate(pool, statementOf(table, cells, rows, true))
  return printed.map((values) => values.map((value) => value?.toString('utf8') ?? 'null'))
}

/** Lets Postgres say which filters each row passes, for all people at once. */
export async function evaluateFilters(
  pool: Connections,
  table: TableInfo,
  filters: readonly Filter[],
  rows: readonly string[],
): Promise<readonly (readonly boolean[])[]> {
  const passes = filters.map((filter) => renderFilter(filter, quoteIdentifier(table.name)))
  return await evaluateConditions(pool, table, passes, rows)
}

/**
 * Lets Postgres look at a filter before there is a row.
 *
 * @throws what it refuses: a column that is not there, a value that has not its type, a pattern that is none
 */
export async function checkFilter(pool: Connections, table: TableInfo, filter: Filter): Promise<void> {
  const conditions = [renderFilter(filter, quoteIdentifier(table.name)), ...renderPatterns(filter)]
  await evaluateConditions(pool, table, conditions, [emptyRow(table)])
}

/** Lets Postgres say which conditions on the row alone hold for each row. */
export async function evaluateConditions(
  pool: Connections,
  table: TableInfo,
  conditions: readonly string[],
  rows: readonly string[],
): Promise<readonly (readonly boolean[])[]> {
  const hold = conditions.map((condition) => `coalesce((${condition}), false)`)
  const found = await evaluate(pool, statementOf(table, hold, rows, false))
  return found.map((values) => values.map((value) => value?.toString('latin1') === 't'))
}

/** A row of NULLs: enough for Postgres to look at the columns and values of a filter. */
function emptyRow({ columns }: TableInfo): string {
  return `(${columns.map(() => '').join(',')})`
}

/** @param isKept - whether it comes again and again: only values differ */
function statementOf(
  table: TableInfo,
  expressions: readonly string[],
  rows: readonly string[],
  isKept: boolean,
): PipelineStep {
  const text = `select ${expressions.join(', ')} from ${rowsOf(table)} order by "#rows"."#position"`
  return { text, values: [rows], key: isKept ? text : undefined }
}

async function evaluate(pool: Connections, statement: PipelineStep): Promise<readonly (readonly (Buffer | null)[])[]> {
  const [answer] = await readInOneTrip(pool, [[...SETTINGS, statement]], {
    timeoutMs: EVALUATION_MS + PATIENCE_MS,
    rowBytesMax: PRINTED_BYTES_MAX,
  })
  if (!answer || answer.error) throw answer?.error ?? new Error('there was no answer')
  return answer.steps.at(-1)?.rows ?? []
}
