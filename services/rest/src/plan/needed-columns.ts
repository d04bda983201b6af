import type { Condition, ReadPlan } from './plan.ts'

/**
 * Returns the columns that a statement must return so that `read` can select from its result; `['*']` for all.
 *
 * Columns are named where possible, because a user may have access to some columns only, and a computed column needs the row's type. A
 * computed relationship takes the whole row.
 */
export function neededColumns(read: ReadPlan, also: readonly string[]): readonly string[] {
  if (read.select.some((item) => item.kind === 'star')) return ['*']
  if (read.select.length === 0 && read.embeds.length === 0) return ['*']
  const own = read.select.flatMap((item) => (item.kind === 'field' ? [item.field.column] : []))
  const ordered = read.order.filter(({ field }) => isOwn(field.qualifier, read)).map(({ field }) => field.column)
  const joined = read.embeds.flatMap(({ read: { source, joins } }) =>
    source.kind === 'function'
      ? (source.argument.columns ?? [])
      : joins.filter(({ right }) => isOwn(right.qualifier, read)).map(({ right }) => right.column),
  )
  return [...new Set([...own, ...ordered, ...joined, ...conditionColumns(read.where), ...also])]
}

function isOwn(qualifier: readonly string[], read: ReadPlan): boolean {
  return qualifier.length === 1 && qualifier[0] === read.alias
}

function conditionColumns(conditions: readonly Condition[]): string[] {
  return conditions.flatMap((condition) => {
    if (condition.kind === 'filter') return [condition.field.column]
    return condition.kind === 'logic' ? conditionColumns(condition.children) : []
  })
}
