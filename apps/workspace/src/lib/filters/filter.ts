import type { Field } from '../fields/field.ts'
import { isChosenText, isNumeric, isTextual } from '../fields/field-kind.ts'

export const OPERATORS = [
  'has',
  'hasnt',
  'starts',
  'is',
  'isnt',
  'lt',
  'lte',
  'gt',
  'gte',
  'before',
  'after',
  'in',
  'notin',
  'yes',
  'no',
  'empty',
  'filled',
] as const
export type Operator = (typeof OPERATORS)[number]

/** `values`: none for `empty`, `filled`, `yes`, `no`; several for `in` and `notin`; otherwise one. */
export interface Condition {
  readonly kind: 'condition'
  readonly field: string
  readonly operator: Operator
  readonly values: readonly string[]
}

export interface FilterGroup {
  readonly kind: 'all' | 'any'
  readonly nodes: readonly FilterNode[]
}

export type FilterNode = Condition | FilterGroup

export const NO_FILTER: FilterGroup = { kind: 'all', nodes: [] }

export const CONDITIONS_MAX = 20
export const NESTING_MAX = 3

/** Returns a field's operators, most common first. Text filters remain valid if choices are declared later. */
export function operatorsOf(field: Field): readonly Operator[] {
  const { kind } = field
  if (field.format?.format.kind === 'location') return ['filled', 'empty']
  if (isChosenText(field)) return ['in', 'notin', 'has', 'hasnt', 'is', 'isnt', 'starts', 'empty', 'filled']
  if (isTextual(kind)) return ['has', 'hasnt', 'is', 'isnt', 'starts', 'empty', 'filled']
  if (isNumeric(kind)) return ['is', 'isnt', 'lt', 'lte', 'gt', 'gte', 'empty', 'filled']
  switch (kind) {
    case 'date':
    case 'datetime':
      return ['is', 'before', 'after', 'empty', 'filled']
    case 'choice':
      return ['in', 'notin', 'empty', 'filled']
    case 'link':
      return ['has', 'hasnt', 'is', 'isnt', 'empty', 'filled']
    case 'boolean':
      return ['yes', 'no', 'empty', 'filled']
    case 'json':
      return ['has', 'hasnt', 'empty', 'filled']
    default:
      return ['is', 'isnt', 'empty', 'filled']
  }
}

export function needsValue(operator: Operator): boolean {
  return !['empty', 'filled', 'yes', 'no'].includes(operator)
}

/** Whether a condition is usable: the field exists, supports the operator, and has the required value. */
export function isComplete(condition: Condition, field: Field | undefined): boolean {
  if (!field || !operatorsOf(field).includes(condition.operator)) return false
  return !needsValue(condition.operator) || condition.values.some((value) => value.trim() !== '')
}

/** Removes unusable conditions from a filter. */
export function completeFilter(group: FilterGroup, fields: ReadonlyMap<string, Field>): FilterGroup {
  const nodes = group.nodes.flatMap((node): readonly FilterNode[] => {
    if (node.kind === 'condition') return isComplete(node, fields.get(node.field)) ? [node] : []
    const inner = completeFilter(node, fields)
    return inner.nodes.length > 0 ? [inner] : []
  })
  return { kind: group.kind, nodes }
}

export function countConditions(node: FilterNode): number {
  return node.kind === 'condition' ? 1 : node.nodes.reduce((sum, inner) => sum + countConditions(inner), 0)
}
