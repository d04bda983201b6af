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

/** The aggregate of a column. */
export interface ColumnAggregate {
  readonly field: Field
  readonly aggregate: Aggregate
}

/** Values by column name. */
export type AggregateRow = Readonly<Record<string, FieldValue>>

/** Digits of averages, and of sums whose type declares no scale. */
const DIGITS = 2
const DIGITS_MAX = 6

/** Returns the aggregates available for a field. */
export function aggregatesOf({ kind }: Field): readonly Aggregate[] {
  const any = ['count', 'filled', 'empty', 'unique'] as const
  if (isNumeric(kind)) return [...any, 'sum', 'average', 'min', 'max']
  return kind === 'date' || kind === 'datetime' ? [...any, 'earliest', 'latest'] : any
}

/** Parses `est_hours.sum,due_on.earliest`: at most one aggregate per field. Skips those that do not suit their field. */
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

/** Returns the aggregate columns of a query over the table named `t`, each preceded by a comma. */
export function aggregateColumns(aggregates: readonly ColumnAggregate[]): string {
  return aggregates.map((one, index) => `, ${valueSql(one)} as ${aggregateName(index)}`).join('')
}

/** Formats an aggregate for display; empty if there are no values. */
export function formatAggregate({ field, aggregate }: ColumnAggregate, index: number, row: AggregateRow): string {
  const value = row[aggregateName(index)] ?? null
  if (value === null) return ''
  switch (aggregate) {
    case 'count':
    case 'filled':
    case 'empty':
    case 'unique':
      return formatValue({ ...field, kind: 'integer', format: undefined }, value)
    case 'sum':
    case 'average':
      return formatValue(
        // The sum or average of ratings is not one of them.
        { ...field, kind: 'number', ...(field.format?.format.kind === 'rating' && { format: undefined }) },
        rounded(Number(value), field, aggregate),
      )
    case 'min':
    case 'max':
    case 'earliest':
    case 'latest':
      return formatValue(field, value)
    default:
      return aggregate satisfies never
  }
}

/** Returns the name of an aggregate's column by index. */
export function aggregateName(index: number): string {
  return `a${index}`
}

/** Returns the SQL of one aggregate over the table named `t`. */
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

/** Rounds to the scale of the field's type, because decimals are summed as binary numbers. */
function rounded(value: number, { kind, column }: Field, aggregate: 'sum' | 'average'): number {
  const [, scale] = /\(\d+,\s*(\d+)\)/.exec(column.type) ?? []
  const own = kind === 'integer' ? 0 : Number(scale ?? DIGITS_MAX)
  return Number(value.toFixed(aggregate === 'sum' ? own : Math.min(Math.max(own, DIGITS), DIGITS_MAX)))
}

function splitLast(part: string): readonly [string, string] {
  const at = part.lastIndexOf('.')
  return [part.slice(0, at), part.slice(at + 1)]
}
