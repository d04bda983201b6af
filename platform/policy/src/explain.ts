import { sql, type Queryable } from '@holdfast/postgres'
import type { BucketDefinition, Dependency, RefusedTable, StreamPlan, SyncPlan, TablePlan } from './plan.ts'

/** Describes how part of a table's policies is compiled, with its SQL. */
export interface DefinitionDescription {
  readonly id: string
  /** Declared stream it belongs to. */
  readonly stream?: string
  readonly roles: readonly string[]
  readonly policies: readonly string[]
  /**
   * `all`: one bucket for everyone satisfying the condition; `key`: one bucket per key; `elements`: several keys per row; `class`: rows and users are not
   * linked by an equality, so each combination of the columns read is evaluated.
   */
  readonly form: 'all' | 'key' | 'elements' | 'class'
  /** For `class`: the number of combinations, if measured. */
  readonly classes?: number
  /** Short description of the link between rows and users. */
  readonly follows: string
  /** The covered rows. */
  readonly rows: string
  /** The entitled users. */
  readonly people: string
  /** Events that trigger reevaluation, one sentence each. */
  readonly changes: readonly string[]
  /** Notable costs. */
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
  /** Declared streams. */
  readonly streams: SyncPlan['streams']
  /** By name. */
  readonly tables: readonly TableDescription[]
  /** Rendered as lines for a terminal. */
  readonly text: string
}

/** Number of access classes per definition id. */
export type ClassCounts = ReadonlyMap<string, number>

/**
 * Estimates the number of access classes per definition from `ANALYZE` statistics. Omits tables never analyzed.
 *
 * @param db - any role; `pg_stats` shows only tables it may read
 */
export async function estimateClasses(db: Queryable, plan: SyncPlan): Promise<ClassCounts> {
  const counts = new Map<string, number>()
  for (const table of plan.tables) {
    for (const definition of table.definitions) {
      if (!definition.accessClass) continue
      const [row] = await db.query<{ count: number | null }>(sql`
        select case when c.reltuples < 0 then null else ceil(least(c.reltuples, exp(sum(ln(greatest(1,
                 case when s.n_distinct < 0 then -s.n_distinct * c.reltuples else s.n_distinct end + (s.null_frac > 0)::int))))))::float8 end as count
          from pg_catalog.pg_class c
          join pg_catalog.pg_stats s on s.schemaname = ${table.schema} and s.tablename = ${table.name}
         where c.oid = ${table.oid} and s.attname = any(${definition.keys.slice(definition.accessClass.link?.keys ?? 0).map((key) => key.column ?? '')}::text[])
         group by c.oid, c.reltuples`)
      if (row?.count !== null && row?.count !== undefined) counts.set(definition.id, row.count)
    }
  }
  return counts
}

/**
 * Builds the coverage report: for each table whether it syncs, how its policies are compiled, and the cost.
 *
 * @param classes - from {@link estimateClasses}, or measured
 */
export function describePlan(plan: SyncPlan, classes: ClassCounts = new Map()): PlanDescription {
  const tables = [
    ...plan.tables.map((table) => describeTable(table, classes)),
    ...plan.refused.map(describeRefused),
  ].sort((left, right) => (left.table < right.table ? -1 : 1))
  const { version, streams } = plan
  return { version, streams, tables, text: [...tables.flatMap(linesOf), ...streams.flatMap(streamLines)].join('\n') }
}

function describeTable(table: TablePlan, classes: ClassCounts): TableDescription {
  return {
    table: `${table.schema}.${table.name}`,
    synced: true,
    localName: table.localName,
    definitions: table.definitions.map((definition) => describeDefinition(definition, classes.get(definition.id))),
  }
}

function describeRefused(table: RefusedTable): TableDescription {
  const blame = table.policy === undefined ? '' : `policy "${table.policy}": `
  return { table: `${table.schema}.${table.name}`, synced: false, reason: `${blame}${table.reason}` }
}

function describeDefinition(definition: BucketDefinition, classes: number | undefined): DefinitionDescription {
  const { id, stream, roles, policies, keyQuery, rowFilter, dependencies } = definition
  return {
    id,
    ...(stream === undefined ? {} : { stream }),
    roles,
    policies,
    form: formOf(definition),
    follows: followsOf(definition),
    ...(classes === undefined ? {} : { classes }),
    rows: rowFilter ? `rows where ${rowFilter.sql}` : 'all rows',
    people: describeUsers(definition),
    changes: dependencies.map(describeDependency),
    costs: costsOf(definition, classes),
    keyQuery,
  }
}

function formOf({ keys, accessClass }: BucketDefinition): DefinitionDescription['form'] {
  if (accessClass) return 'class'
  if (keys.length === 0) return 'all'
  return keys.some((key) => key.kind === 'elements') ? 'elements' : 'key'
}

function followsOf(definition: BucketDefinition): string {
  const { keys, rowFilter, dependencies } = definition
  const tables = [...new Set(dependencies.map((one) => `${one.schema}.${one.name}`))].join(', ')
  const form = formOf(definition)
  const person =
    form === 'class'
      ? 'asked for each access class'
      : form === 'all'
        ? tables === '' && !/ where /.test(definition.keyQuery)
          ? ''
          : `condition on the person${tables === '' ? ' (claims)' : ` through ${tables}`}`
        : `${keys.map((key) => (key.kind === 'elements' ? `elements of ${key.sql}` : key.sql)).join(', ')} = ${tables === '' ? 'claims' : `keys from ${tables}`}`
  return [person, rowFilter ? 'row filter' : ''].filter((part) => part !== '').join(', with a ') || 'everything'
}

function describeUsers({ keys, keyQuery, roles, accessClass }: BucketDefinition): string {
  const who = `of the ${roles.length > 1 ? 'roles' : 'role'} ${roles.join(', ')}`
  if (accessClass) {
    const linked = keys.slice(0, accessClass.link?.keys ?? 0).map((key) => key.sql)
    const has = linked.length > 0 ? ` whose keys have ${linked.join(' and ')},` : ''
    return `those ${who}${has} for whom ${accessClass.condition}`
  }
  if (keys.length === 0)
    return / where /.test(keyQuery) ? `everybody ${who} who meets the condition` : `everybody ${who}`
  const names = keys.map((key) => (key.kind === 'elements' ? `an element of ${key.sql}` : key.sql))
  return `those ${who} whose keys have ${names.join(' and ')}`
}

function describeDependency({ schema, name, columns, pin }: Dependency): string {
  const what = columns.length > 0 ? `${schema}.${name} (${columns.join(', ')})` : `the rows of ${schema}.${name}`
  if (!pin) return `a change of ${what} may concern everybody`
  return 'claimSql' in pin
    ? `a change of ${what} concerns only the people whose ${pin.claimSql} is its ${pin.column}`
    : `a change of ${what} concerns only the people for whom its ${pin.column} is among ${pin.valuesSql}`
}

function costsOf(
  { keys, rowFilter, dependencies, accessClass }: BucketDefinition,
  classes: number | undefined,
): readonly string[] {
  const costs: string[] = []
  if (accessClass) {
    const asked = keys.slice(accessClass.link?.keys ?? 0)
    const names = asked.map((key) => key.column ?? key.sql).join(', ')
    const many = classes === undefined ? '' : `, about ${classes} of them`
    costs.push(`the condition is asked for each combination of ${names}${many} (access classes)`)
  }
  if ([...keys, ...(rowFilter ? [rowFilter] : [])].some((expression) => expression.column === undefined)) {
    costs.push('Postgres evaluates an expression for each changed row')
  }
  if (rowFilter?.next !== undefined)
    costs.push('rows are evaluated again when the clock has reached what they are compared with')
  const clocked = [...new Set(dependencies.filter((one) => one.clock).map((one) => `${one.schema}.${one.name}`))]
  if (clocked.length > 0)
    costs.push(
      `keys are evaluated again when the clock has reached what rows of ${clocked.join(' and ')} are compared with`,
    )
  const unpinned = [...new Set(dependencies.filter((one) => !one.pin).map((one) => `${one.schema}.${one.name}`))]
  if (unpinned.length > 0)
    costs.push(`all connected people are asked for their keys when ${unpinned.join(' or ')} changes`)
  if (keys.length > 1 && !accessClass)
    costs.push(`a person may have a bucket for each combination of ${keys.length} keys`)
  return costs
}

function streamLines({ name, priority, autoSubscribe, tables, refused }: StreamPlan): readonly string[] {
  const of = tables.map((table) => `${table.schema}.${table.name}`).join(', ') || 'nothing'
  return [
    `stream ${name}: of ${of}, priority ${priority}${autoSubscribe ? ', subscribed by every device' : ''}`,
    ...refused.map(({ query, reason }) => `  not followed: ${query.replaceAll(/\s+/g, ' ').trim()}: ${reason}`),
  ]
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
