import type { BucketDefinition, Dependency, RefusedTable, SyncPlan, TablePlan } from './plan.ts'

/** How one part of a table's policies is followed, in words and with the SQL behind them. */
export interface DefinitionDescription {
  readonly id: string
  readonly roles: readonly string[]
  readonly policies: readonly string[]
  /** `all`: one bucket for everybody who meets the condition; `key`: a bucket per key; `elements`: several keys per row. */
  readonly form: 'all' | 'key' | 'elements'
  /** Which rows it covers. */
  readonly rows: string
  /** Who gets them. */
  readonly people: string
  /** What makes it ask again who gets them, one sentence each. */
  readonly changes: readonly string[]
  /** What following it costs, when that is worth knowing. */
  readonly costs: readonly string[]
  readonly keyQuery: string
}

export type TableDescription =
  | { readonly table: string; readonly synced: false; readonly reason: string }
  | {
      readonly table: string
      readonly synced: true
      readonly localName: string
      readonly definitions: readonly DefinitionDescription[]
    }

export interface PlanDescription {
  readonly version: string
  /** By name. */
  readonly tables: readonly TableDescription[]
  /** The same as lines for a terminal. */
  readonly text: string
}

/** The coverage report: for each table whether it is synced, how each of its policies is followed, and at what cost. */
export function describePlan(plan: SyncPlan): PlanDescription {
  const tables = [...plan.tables.map(describeTable), ...plan.refused.map(describeRefused)].sort((left, right) =>
    left.table < right.table ? -1 : 1,
  )
  return { version: plan.version, tables, text: tables.flatMap(linesOf).join('\n') }
}

function describeTable(table: TablePlan): TableDescription {
  return {
    table: `${table.schema}.${table.name}`,
    synced: true,
    localName: table.localName,
    definitions: table.definitions.map(describeDefinition),
  }
}

function describeRefused(table: RefusedTable): TableDescription {
  const blame = table.policy === undefined ? '' : `policy "${table.policy}": `
  return { table: `${table.schema}.${table.name}`, synced: false, reason: `${blame}${table.reason}` }
}

function describeDefinition(definition: BucketDefinition): DefinitionDescription {
  const { id, roles, policies, keyQuery, keys, rowFilter, dependencies } = definition
  return {
    id,
    roles,
    policies,
    form: keys.length === 0 ? 'all' : keys.some((key) => key.kind === 'elements') ? 'elements' : 'key',
    rows: rowFilter ? `rows where ${rowFilter.sql}` : 'all rows',
    people: describePeople(definition),
    changes: dependencies.map(describeDependency),
    costs: costsOf(definition),
    keyQuery,
  }
}

function describePeople({ keys, keyQuery, roles }: BucketDefinition): string {
  const who = `of the ${roles.length > 1 ? 'roles' : 'role'} ${roles.join(', ')}`
  if (keys.length === 0)
    return / where /.test(keyQuery) ? `everybody ${who} who meets the condition` : `everybody ${who}`
  const names = keys.map((key) => (key.kind === 'elements' ? `an element of ${key.sql}` : key.sql))
  return `those ${who} whose keys have ${names.join(' and ')}`
}

function describeDependency({ schema, name, columns, pin }: Dependency): string {
  const what = columns.length > 0 ? `${schema}.${name} (${columns.join(', ')})` : `the rows of ${schema}.${name}`
  return pin
    ? `a change of ${what} concerns only the people whose ${pin.claimSql} is its ${pin.column}`
    : `a change of ${what} may concern everybody`
}

function costsOf({ keys, rowFilter, dependencies }: BucketDefinition): readonly string[] {
  const costs: string[] = []
  if ([...keys, ...(rowFilter ? [rowFilter] : [])].some((expression) => expression.column === undefined)) {
    costs.push('Postgres evaluates an expression for each changed row')
  }
  const unpinned = [...new Set(dependencies.filter((one) => !one.pin).map((one) => `${one.schema}.${one.name}`))]
  if (unpinned.length > 0)
    costs.push(`all connected people are asked for their keys when ${unpinned.join(' or ')} changes`)
  if (keys.length > 1) costs.push(`a person may have a bucket for each combination of ${keys.length} keys`)
  return costs
}

function linesOf(table: TableDescription): readonly string[] {
  if (!table.synced) return [`${table.table}: not synced, ${table.reason}`]
  return [
    `${table.table}: synced as ${table.localName}`,
    ...table.definitions.flatMap((one) => [
      `  ${one.id} (${one.policies.join(', ')}): ${one.rows}, for ${one.people}`,
      ...one.changes.map((line) => `    ${line}`),
      ...one.costs.map((line) => `    cost: ${line}`),
    ]),
  ]
}
