import { formatAlternatives, formatNames } from '../format.ts'
import type { Field } from '../fields/field.ts'
import { formatValue } from '../fields/format-value.ts'
import { addDays, formatDay, resolveDays } from '../fields/dates.ts'
import { pageLocale } from '../language.ts'
import { filterMessages } from '../../messages/filter.ts'
import { type Condition, type FilterGroup, type FilterNode, needsValue } from './filter.ts'

export interface WordsContext {
  /** Titles of linked records by id. */
  readonly titles: ReadonlyMap<string, string>
  /** Base of relative days, `YYYY-MM-DD`. */
  readonly today: string
}

/**
 * Returns a filter in words, with relative days resolved: `Due is before 29 Nov 2026 and State is none of Verified or Dropped`. Conditions on unknown fields are left out, as
 * they are in the query.
 */
export function filterWords(group: FilterGroup, fields: readonly Field[], context: WordsContext): string {
  const join = group.kind === 'all' ? formatNames : formatAlternatives
  return join(group.nodes.flatMap((node) => nodeWords(node, fields, context)))
}

function nodeWords(node: FilterNode, fields: readonly Field[], context: WordsContext): readonly string[] {
  if (node.kind !== 'condition') {
    const inner = filterWords(node, fields, context)
    return inner === '' ? [] : [node.nodes.length > 1 ? `(${inner})` : inner]
  }
  const field = fields.find(({ name }) => name === node.field)
  return field ? [conditionWords(node, field, context)] : []
}

function conditionWords({ operator, values }: Condition, field: Field, context: WordsContext): string {
  const start = `${field.label} ${filterMessages.operators[operator]}`
  if (!needsValue(operator)) return start
  const words = values.filter((value) => value !== '').map((value) => valueWords(value, field, context))
  return `${start} ${formatAlternatives(words)}`
}

function valueWords(value: string, field: Field, { titles, today }: WordsContext): string {
  if (field.kind === 'date' || field.kind === 'datetime') return dayWords(value, today)
  if (field.kind === 'choice' || field.kind === 'link') return formatValue(field, value, titles.get(value))
  return field.kind === 'integer' || field.kind === 'number' ? formatValue(field, value) : `“${value}”`
}

/** A day, or the first and the last day of a week or month. */
function dayWords(value: string, today: string): string {
  const { day, next } = resolveDays(value, today)
  const days = [day, addDays(next, -1)].map((one) => formatDay(one, pageLocale()))
  return [...new Set(days)].join(' – ')
}

/** Returns the ids of linked records that a filter names, per table. */
export function linkedIds(group: FilterGroup, fields: readonly Field[]): ReadonlyMap<Field, readonly string[]> {
  const found = new Map<Field, string[]>()
  for (const node of group.nodes) {
    if (node.kind !== 'condition') {
      for (const [field, ids] of linkedIds(node, fields)) found.set(field, [...(found.get(field) ?? []), ...ids])
      continue
    }
    const field = fields.find(({ name, link }) => name === node.field && link !== undefined)
    if (field && (node.operator === 'is' || node.operator === 'isnt')) {
      found.set(field, [...(found.get(field) ?? []), ...node.values])
    }
  }
  return found
}
