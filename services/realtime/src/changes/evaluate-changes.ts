import { quoteIdentifier, quoteName, type Connections, type PipelineStep } from '@holdfast/postgres'
import { EVALUATION_MS, TRANSACTION_BYTES_MAX } from '../limits.ts'
import { renderFilter, renderPatterns, type Filter } from './filter.ts'
import { constant, readPipelined } from './read-pipelined.ts'
import type { TableInfo } from './table-info.ts'

/** Client-side grace in ms beyond the statement timeout. */
const PATIENCE_MS = 30_000

/** Printed row limit in bytes: the largest followed row with every character escaped. */
const PRINTED_BYTES_MAX = 6 * TRANSACTION_BYTES_MAX

const SETTINGS = [constant(`set local statement_timeout = ${EVALUATION_MS}`), constant(`set local timezone = 'UTC'`)]

/** FROM item for the rows. It is named like the table, so that policies resolve. */
export const rowsOf = ({ schema, name }: Pick<TableInfo, 'schema' | 'name'>): string =>
  `unnest($1::text[]) with ordinality "#rows" ("#row", "#position")
   cross join lateral unnest(array["#rows"."#row"::${quoteName(schema, name)}]) as ${quoteIdentifier(name)}`

/**
 * Has Postgres print the columns of some rows as JSON. Project types and casts run here, and operators in {@link evaluateFilters}, as the evaluator role: it
 * has the API roles' rights, no claims, and is read-only.
 *
 * @param rows - composite literals of the table
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
    // Strip the `\x` prefix, as wal2json does.
    return `pg_catalog.to_jsonb(${isBytes ? `pg_catalog.substr(${cell}::text, 3)` : cell})::text`
  })
  if (cells.length === 0) return rows.map(() => [])
  const printed = await evaluate(pool, statementOf(table, cells, rows, true))
  return printed.map((values) => values.map((value) => value?.toString('utf8') ?? 'null'))
}

/** Evaluates in Postgres which filters each row passes, for all users at once. */
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
 * Validates a filter in Postgres before any row exists.
 *
 * @throws the error of Postgres: unknown column, value of a wrong type, invalid pattern
 */
export async function checkFilter(pool: Connections, table: TableInfo, filter: Filter): Promise<void> {
  const conditions = [renderFilter(filter, quoteIdentifier(table.name)), ...renderPatterns(filter)]
  await evaluateConditions(pool, table, conditions, [emptyRow(table)])
}

/** Evaluates in Postgres which conditions on the row alone hold for each row. */
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

/** A row of NULLs, sufficient for Postgres to check the columns and values of a filter. */
function emptyRow({ columns }: TableInfo): string {
  return `(${columns.map(() => '').join(',')})`
}

/** @param isKept - whether to prepare the statement because it recurs with other values */
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
  const [answer] = await readPipelined(pool, [[...SETTINGS, statement]], {
    timeoutMs: EVALUATION_MS + PATIENCE_MS,
    rowBytesMax: PRINTED_BYTES_MAX,
  })
  if (!answer || answer.error) throw answer?.error ?? new Error('there was no response')
  return answer.steps.at(-1)?.rows ?? []
}
