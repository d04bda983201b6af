import type { FieldValue } from '../../../lib/fields/field.ts'
import { tableSql } from '../../../lib/fields/table-sql.ts'
import { quoteName, type SqlPart } from '../../../lib/sql.ts'
import { type AggregateRow, aggregateName, type ColumnAggregate, valueSql } from './aggregates.ts'
import { type GridQuery, whereSql } from './grid-query.ts'

/** Rows per query. The local database runs one query at a time, so this limits how long visible rows wait. */
export const SLICE_ROWS = 5_000

/** Runs a query on the view that returns one row. */
export type AskView = <Row extends object>(sqlOf: (query: GridQuery) => SqlPart) => Promise<Row>

/**
 * Calculates aggregates over all rows of the view, in slices of the table by id.
 *
 * @param isOver - checked between slices: whether the result is no longer needed
 * @returns values by the names that {@link aggregateName} gives; `undefined` if it was cancelled
 */
export async function calculateInSlices(
  ask: AskView,
  aggregates: readonly ColumnAggregate[],
  isOver: () => boolean,
  sliceRows = SLICE_ROWS,
): Promise<AggregateRow | undefined> {
  const whole = aggregates.map(({ aggregate }) => aggregate === 'unique')
  const answer: Record<string, FieldValue> = {}
  // Distinct counts cannot be added across slices, so they take a single query.
  if (whole.includes(true)) Object.assign(answer, await ask((query) => sliceSql(query, aggregates, whole, undefined)))
  if (!whole.includes(false)) return answer
  const inSlices = whole.map((isWhole) => !isWhole)
  for (let after: string | null = ''; after !== null;) {
    if (isOver()) return undefined
    const from: string = after
    const { id: until } = await ask<{ readonly id: string | null }>((query) => endSql(query, from, sliceRows))
    const slice = await ask<AggregateRow>((query) => sliceSql(query, aggregates, inSlices, { from, until }))
    for (const [index, one] of aggregates.entries()) if (inSlices[index]) join(answer, slice, one, index)
    after = until
  }
  for (const [index, { aggregate }] of aggregates.entries()) {
    if (aggregate === 'average') answer[aggregateName(index)] = average(answer, index)
  }
  return answer
}

/** Selects the id of the last row of a slice; NULL if the slice reaches the end of the table. */
function endSql({ table }: GridQuery, from: string, sliceRows: number): SqlPart {
  return {
    text: `select (select id from ${quoteName(table)} where id > ? order by id limit 1 offset ?) as id`,
    values: [from, sliceRows - 1],
  }
}

/** @param slice - `undefined`: all rows of the view */
function sliceSql(
  query: GridQuery,
  aggregates: readonly ColumnAggregate[],
  isAsked: readonly boolean[],
  slice: { readonly from: string; readonly until: string | null } | undefined,
): SqlPart {
  const columns = aggregates.flatMap((one, index) => {
    if (!isAsked[index]) return []
    const isAverage = one.aggregate === 'average'
    const value = `${valueSql(isAverage ? { ...one, aggregate: 'sum' } : one)} as ${aggregateName(index)}`
    return isAverage ? [value, `${valueSql({ ...one, aggregate: 'filled' })} as ${filledName(index)}`] : [value]
  })
  const where = whereSql(query, slice && idsOf(slice))
  return { text: `select ${columns.join(', ')} from ${tableSql(query)}${where.text}`, values: where.values }
}

function idsOf({ from, until }: { readonly from: string; readonly until: string | null }): SqlPart {
  return until === null
    ? { text: 't.id > ?', values: [from] }
    : { text: 't.id > ? and t.id <= ?', values: [from, until] }
}

/** Merges one more slice into the result. */
function join(
  answer: Record<string, FieldValue>,
  slice: AggregateRow,
  { aggregate }: ColumnAggregate,
  index: number,
): void {
  const name = aggregateName(index)
  const isLess = aggregate === 'min' || aggregate === 'earliest'
  if (isLess || aggregate === 'max' || aggregate === 'latest') {
    const [a, b] = [answer[name] ?? null, slice[name] ?? null]
    answer[name] = a === null ? b : b === null || a < b === isLess ? a : b
    return
  }
  answer[name] = sum(answer[name], slice[name])
  if (aggregate === 'average') answer[filledName(index)] = sum(answer[filledName(index)], slice[filledName(index)])
}

/** Adds as in SQL: the sum of NULLs is NULL. */
function sum(a: FieldValue | undefined, b: FieldValue | undefined): FieldValue {
  if (a === null || a === undefined) return b ?? null
  return b === null || b === undefined ? a : Number(a) + Number(b)
}

function average(answer: AggregateRow, index: number): FieldValue {
  const filled = Number(answer[filledName(index)])
  return filled === 0 ? null : Number(answer[aggregateName(index)]) / filled
}

function filledName(index: number): string {
  return `n${index}`
}
