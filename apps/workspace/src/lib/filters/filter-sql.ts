import { resolveDays, startOfDay } from '../fields/dates.ts'
import type { Field } from '../fields/field.ts'
import { isNumeric } from '../fields/field-kind.ts'
import { labelSql } from '../fields/label-sql.ts'
import type { Condition, FilterGroup, FilterNode } from './filter.ts'
import { type MatchPlace, matchSql } from '../match-sql.ts'
import { quoteName, type SqlPart, type SqlValue } from '../sql.ts'

export interface FilterContext {
  readonly fields: ReadonlyMap<string, Field>
  /** Base of relative days, `YYYY-MM-DD`. */
  readonly today: string
  /** Writes conditions so that an index on their field applies. They may then yield NULL instead of false. */
  readonly isIndexed?: boolean
}

/** Returns the fields by which an index finds the filter's rows: those whose conditions every row must meet. */
export function indexedFields(filter: FilterGroup): readonly string[] {
  if (filter.kind !== 'all') return []
  const found = filter.nodes.flatMap((node) => {
    if (node.kind !== 'condition') return indexedFields(node)
    return node.operator === 'in' && !node.values.includes('') ? [node.field] : []
  })
  return [...new Set(found)]
}

/**
 * Returns the condition of a filter over the table named `t`. Rows without a value match only `isnt`, `hasnt`, `notin` and `empty`. Text searches ignore case;
 * `is` and `isnt` ignore the case of ASCII letters only. Conditions on unknown fields are ignored.
 */
export function filterSql(group: FilterGroup, context: FilterContext): SqlPart {
  const parts = group.nodes.map((node) => nodeSql(node, context)).filter((part) => part.text !== '')
  const joint = group.kind === 'all' ? ' and ' : ' or '
  return { text: parts.map(({ text }) => text).join(joint), values: parts.flatMap(({ values }) => values) }
}

function nodeSql(node: FilterNode, context: FilterContext): SqlPart {
  if (node.kind !== 'condition') {
    const inner = filterSql(node, context)
    return inner.text === '' ? inner : { text: `(${inner.text})`, values: inner.values }
  }
  const field = context.fields.get(node.field)
  return field ? conditionSql(node, field, context) : { text: '', values: [] }
}

function conditionSql(condition: Condition, field: Field, context: FilterContext): SqlPart {
  const column = `t.${quoteName(field.name)}`
  const [value = ''] = condition.values
  switch (condition.operator) {
    case 'empty':
      return part(`(${column} is null or ${column} = '')`)
    case 'filled':
      return part(`(${column} is not null and ${column} <> '')`)
    case 'yes':
      return part(`coalesce(${column}, 0) <> 0`)
    case 'no':
      return part(`coalesce(${column} = 0, 0)`)
    case 'has':
      return textSql(field, column, value, 'anywhere', false)
    case 'hasnt':
      return textSql(field, column, value, 'anywhere', true)
    case 'starts':
      return textSql(field, column, value, 'start', false)
    case 'in': {
      const own = context.isIndexed && !condition.values.includes('') ? column : `coalesce(${column}, '')`
      return part(`${own} in (${condition.values.map(() => '?').join(', ')})`, ...condition.values)
    }
    case 'notin':
      return part(`coalesce(${column}, '') not in (${condition.values.map(() => '?').join(', ')})`, ...condition.values)
    case 'is':
      return isSql(field, column, value, context, false)
    case 'isnt':
      return isSql(field, column, value, context, true)
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte': {
      const sign = { lt: '<', lte: '<=', gt: '>', gte: '>=' }[condition.operator]
      return part(`coalesce(cast(${column} as real) ${sign} ?, 0)`, Number(value))
    }
    case 'before':
      return part(yes(`${column} < ?`, context), bounds(field, value, context).from)
    case 'after':
      return part(yes(`${column} >= ?`, context), bounds(field, value, context).to)
    default:
      return condition.operator satisfies never
  }
}

function textSql(field: Field, column: string, value: string, place: MatchPlace, isNegated: boolean): SqlPart {
  const text = field.link?.titleColumn === undefined ? column : labelSql(field, column)
  const match = matchSql(`coalesce(${text}, '')`, value, place)
  return isNegated ? { ...match, text: `not (${match.text})` } : match
}

function isSql(field: Field, column: string, value: string, context: FilterContext, isNegated: boolean): SqlPart {
  if (field.kind === 'date' || field.kind === 'datetime') {
    const { from, to } = bounds(field, value, context)
    return part(yes(`${column} >= ? and ${column} < ?`, context), from, to)
  }
  const fallback = isNegated ? 1 : 0
  const sign = isNegated ? '<>' : '='
  if (isNumeric(field.kind)) return part(`coalesce(cast(${column} as real) ${sign} ?, ${fallback})`, Number(value))
  return part(`coalesce(${column} ${sign} ? collate nocase, ${fallback})`, value)
}

/** Makes a comparison false instead of NULL for rows without a value, unless an index must apply. */
function yes(comparison: string, { isIndexed = false }: FilterContext): string {
  return isIndexed ? `(${comparison})` : `coalesce(${comparison}, 0)`
}

/** Returns the stored bounds of a day: the day itself or, for moments, its start and end in the workspace's time zone. */
function bounds(field: Field, value: string, { today }: FilterContext): { readonly from: string; readonly to: string } {
  const { day, next } = resolveDays(value, today)
  if (field.kind === 'date') return { from: day, to: next }
  const hasZone = field.column.type.includes('with time zone')
  const start = (of: string): string => (hasZone ? startOfDay(of).toISOString().slice(0, 19) : `${of}T00:00:00`)
  return { from: start(day), to: start(next) }
}

function part(text: string, ...values: readonly SqlValue[]): SqlPart {
  return { text, values }
}
