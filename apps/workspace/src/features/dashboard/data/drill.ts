import {
  type Condition,
  CONDITIONS_MAX,
  completeFilter,
  countConditions,
  type FilterGroup,
  type FilterNode,
  NESTING_MAX,
} from '../../../lib/filters/filter.ts'
import { addDays } from '../../../lib/fields/dates.ts'
import type { Field } from '../../../lib/fields/field.ts'
import { isNumeric, isTextual } from '../../../lib/fields/field-kind.ts'
import { isBucket, nextBucket } from './date-buckets.ts'
import type { ChartData, Group } from './tile-data.ts'
import type { GroupBy, TileQuery } from './tile-sql.ts'

/**
 * Returns the filter of exactly the records of a group, and of a part of it; `undefined` where the language of filters cannot say it, so that no link leads to other records.
 */
export function drillFilter(query: TileQuery, data: ChartData, group: Group, part?: Group): FilterGroup | undefined {
  if (!query.group) return undefined
  const ofGroup = conditionsOf(query.group, group, data.groups)
  const ofPart = part && query.stack ? conditionsOf(query.stack, part, data.parts) : []
  return ofGroup && ofPart
    ? allOf(query.fields, [query.filter, { kind: 'all', nodes: [...ofGroup, ...ofPart] }])
    : undefined
}

/** Joins filters so that all apply; `undefined` if the result is more than a link can hold, or has an unusable condition. */
export function allOf(fields: readonly Field[], filters: readonly FilterGroup[]): FilterGroup | undefined {
  const nodes = filters.flatMap((filter): readonly FilterNode[] =>
    filter.kind === 'all' || filter.nodes.length <= 1 ? filter.nodes : [filter],
  )
  const joined: FilterGroup = { kind: 'all', nodes }
  const byName = new Map(fields.map((field) => [field.name, field]))
  const isWhole = countConditions(completeFilter(joined, byName)) === countConditions(joined)
  return isWhole && countConditions(joined) <= CONDITIONS_MAX && depthOf(joined) <= NESTING_MAX ? joined : undefined
}

function depthOf(node: FilterNode): number {
  return node.kind === 'condition' ? 0 : 1 + Math.max(0, ...node.nodes.map(depthOf))
}

function conditionsOf(by: GroupBy, group: Group, all: readonly Group[]): readonly Condition[] | undefined {
  if (group.kind === 'empty') return [condition(by, 'empty')]
  const isDate = by.field.kind === 'date' || by.field.kind === 'datetime'
  if (group.kind === 'rest') return isDate ? earlier(by, all) : others(by, all)
  if (!isDate) return valueConditions(by, String(group.key))
  return isBucket(group.key)
    ? [...from(by, group.key), condition(by, 'before', nextBucket(by.by ?? 'month', group.key))]
    : undefined
}

/** `after` a day excludes it. */
function from(by: GroupBy, day: string): readonly Condition[] {
  return [condition(by, 'after', addDays(day, -1))]
}

function earlier(by: GroupBy, all: readonly Group[]): readonly Condition[] | undefined {
  const first = all.find(({ key }) => isBucket(key))?.key
  return isBucket(first) ? [condition(by, 'before', first)] : undefined
}

function valueConditions(by: GroupBy, value: string): readonly Condition[] | undefined {
  const { kind } = by.field
  if (kind === 'boolean') return [condition(by, value === '0' ? 'no' : 'yes')]
  if (kind === 'choice') return [condition(by, 'in', value)]
  return kind === 'link' || isTextual(kind) || isNumeric(kind) ? [condition(by, 'is', value)] : undefined
}

/** Returns the conditions of the rest: none of the groups that are shown. */
function others(by: GroupBy, all: readonly Group[]): readonly Condition[] | undefined {
  const shown = all.filter(({ kind }) => kind === 'value').map(({ key }) => String(key))
  const filled = all.some(({ kind }) => kind === 'empty') ? [condition(by, 'filled')] : []
  const { kind } = by.field
  if (kind === 'choice') return [condition(by, 'notin', ...shown), ...filled]
  if (kind === 'link' || isTextual(kind) || isNumeric(kind))
    return [...shown.map((value) => condition(by, 'isnt', value)), ...filled]
  return undefined
}

function condition({ field }: GroupBy, operator: Condition['operator'], ...values: readonly string[]): Condition {
  return { kind: 'condition', field: field.name, operator, values }
}
