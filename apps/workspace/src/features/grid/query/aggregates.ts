import type { Field, FieldValue } from '../../../lib/fields/field.ts'
import { isNumeric } from '../../../lib/fields/field-kind.ts'
import { formatValue } from '../../../lib/fields/format-value.ts'
import { quoteName } from '../../../lib/sql.ts'

export const AGGREGATES = [
  'count',
  'filled',
  'empty',
  'unique',
  'sum',
  'average',
  'min',
  'max',
  'earliest',
  'latest',
] as const
export type Aggregate = (typeof AGGREGATES)[number]

/** What is calculated of a column. */
export interface ColumnAggregate {
  readonly field: Field
  readonly aggregate: Aggregate
}

/** Values by the names of their columns. */
export type AggregateRow = Readonly<Record<string, FieldValue>>

/** Digits of an average, and of sums of numbers whose type does not say how many they have. */
const DIGITS = 2
const DIGITS_MAX = 6

/** What can be calculated of a field. */
export function aggregatesOf({ kind }: Field): readonly Aggregate[] {
  const any = ['count', 'filled', 'empty', 'unique'] as const
  if (isNumeric(kind)) return [...any, 'sum', 'average', 'min', 'max']
  return kind === 'date' || kind === 'datetime' ? [...any, 'earliest', 'latest'] : any
}

/** `est_hours.sum,due_on.earliest`: at most one for a field; what does not fit its field is skipped. */
export function parseAggregates(text: string | undefined, fields: readonly Field[]): readonly ColumnAggregate[] {
  const wanted = new Map((text ?? '').split(',').map((part) => splitLast(part)))
  return fields.flatMap((field) => {
    const aggregate = aggregatesOf(field).find((one) => one === wanted.get(field.name))
    return aggregate === undefined ? [] : [{ field, aggregate }]
  })
}

export function renderAggregates(aggregates: readonly ColumnAggregate[]): string | undefined {
  if (aggregates.length === 0) return undefined
  return aggregates.map(({ field, aggregate }) => `${field.name}.${aggregate}`).join(',')
}

/** The columns of a query that calculate, over the table named `t`; each begins with a comma. */
export function aggregateColumns(aggregates: readonly ColumnAggregate[]): string {
  return aggregates.map((one, index) => `, ${valueSql(one)} as ${aggregateName(index)}`).join('')
}

/** The value as a person reads it; nothing where there are no values to calculate with. */
export function formatAggregate({ field, aggregate }: ColumnAggregate, index: number, row: AggregateRow): string {
  const value = row[aggregateName(index)] ?? null
  if (value === null) return ''
  switch (aggregate) {
    case 'count':
    case 'filled':
    case 'empty':
    case 'unique':
      return formatValue({ ...field, kind: 'integer' }, value)
    case 'sum':
    case 'average':
      return formatValue({ ...field, kind: 'number' }, rounded(Number(value), field, aggregate))
    case 'min':
    case 'max':
    case 'earliest':
    case 'latest':
      return formatValue(field, value)
    default:
      return aggregate satisfies never
  }
}

/** Of the column that has the value of an aggregate, by its place. */
export function aggregateName(index: number): string {
  return `a${index}`
}

/** Calculates one aggregate over the table named `t`. */
export function valueSql({ field, aggregate }: ColumnAggregate): string {
  const column = `t.${quoteName(field.name)}`
  const filled = `nullif(${column}, '')`
  const number = field.column.local === 'text' ? `cast(${filled} as real)` : column
  switch (aggregate) {
    case 'count':
      return 'count(*)'
    case 'filled':
      return `count(${filled})`
    case 'empty':
      return `count(*) - count(${filled})`
    case 'unique':
      return `count(distinct ${filled})`
    case 'sum':
      return `sum(${number})`
    case 'average':
      return `avg(${number})`
    case 'min':
      return `min(${number})`
    case 'max':
      return `max(${number})`
    case 'earliest':
      return `min(${filled})`
    case 'latest':
      return `max(${filled})`
    default:
      return aggregate satisfies never
  }
}

/** Sums of decimal numbers are calculated in binary ones: they have no more digits than their type gives them. */
function rounded(value: number, { kind, column }: Field, aggregate: 'sum' | 'average'): number {
  const [, scale] = /\(\d+,\s*(\d+)\)/.exec(column.type) ?? []
  const own = kind === 'integer' ? 0 : Number(scale ?? DIGITS_MAX)
  return Number(value.toFixed(aggregate === 'sum' ? own : Math.min(Math.max(own, DIGITS), DIGITS_MAX)))
}

function splitLast(part: string): readonly [string, string] {
  const at = part.lastIndexOf('.')
  return [part.slice(0, at), part.slice(at + 1)]
}
