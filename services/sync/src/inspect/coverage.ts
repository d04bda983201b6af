import {
  describePlan,
  estimateClasses,
  policyForms,
  type Dependency,
  type DefinitionDescription,
  type PolicyForm,
  type SyncPlan,
} from '@holdfast/policy'
import { sql, type Pool, type Queryable } from '@holdfast/postgres'
import type { ActivePlan } from '../buckets/active-plan.ts'
import type { PolicyFailure } from '../buckets/policy-failures.ts'

/** Cost of following a definition. Postgres statistics are `undefined` before the first `analyze`. */
export interface DefinitionCost {
  /** Estimated rows of the table. */
  readonly rows: number | undefined
  /** Estimated distinct keys. */
  readonly distinctKeys: number | undefined
  /** Buckets that contain or contained rows. */
  readonly buckets: number
  /** Operations in the buckets: rows, and superseded operations not compacted yet. */
  readonly operations: number
  /** Reasons and numbers of key reevaluations. */
  readonly reevaluations: readonly Reevaluation[]
}

export interface Reevaluation {
  /** `schema.table` that the key query reads. */
  readonly table: string
  readonly columns: readonly string[]
  /** Users concerned by a change: those with a matching claim, those for whom a query (`values`, run as them) returns the value, or all connected ones. */
  readonly concerns:
    | { readonly column: string; readonly claim: string }
    | { readonly column: string; readonly values: string }
    | 'everybody'
  /** Estimated rows of that table. */
  readonly rows: number | undefined
  /** Inserted, updated and deleted rows since Postgres's statistics were reset. */
  readonly changes: number
}

export interface DefinitionCoverage extends DefinitionDescription {
  /** Whether its buckets are complete. */
  readonly state: 'served' | 'being read'
  readonly columns: readonly string[]
  /** Request data read by the key query. */
  readonly claims: readonly string[]
  readonly cost: DefinitionCost
}

export interface PolicyCoverage {
  readonly name: string
  readonly permissive: boolean
  /** Role names; `public` means every role. */
  readonly roles: readonly string[]
  /** As printed by Postgres. */
  readonly using: string | null
  /** Forms of its condition. */
  readonly forms: readonly PolicyForm[]
  /** Ids of the definitions compiled from the policy; none if the table is not synced. */
  readonly definitions: readonly string[]
}

/** Whether a table syncs, and if not, why. */
export interface TableCoverage {
  readonly table: string
  readonly synced: boolean
  /** Local name. */
  readonly localName: string | undefined
  /** Why it does not sync. */
  readonly reason: string | undefined
  /** The policy that cannot be compiled. */
  readonly refusedPolicy: string | undefined
  /** Policy evaluation errors since serving: the affected rows or users lack data. */
  readonly failing: readonly PolicyFailure[]
  readonly rows: number | undefined
  readonly policies: readonly PolicyCoverage[]
  readonly definitions: readonly DefinitionCoverage[]
}

export interface CoverageReport {
  /** Version of the compiled plan. */
  readonly version: string
  readonly tables: readonly TableCoverage[]
  /** Declared streams, and queries of theirs that cannot be compiled. */
  readonly streams: SyncPlan['streams']
}

interface TableStatistics {
  readonly rows: number | undefined
  readonly changes: number
  readonly distinct: ReadonlyMap<string, number>
}

/**
 * Reports how each table and policy is followed, and at what cost.
 *
 * @param db - connects as superuser
 * @param active - the served plan; `undefined` while policies are being compiled
 */
export async function readCoverage(
  db: Pool,
  plan: SyncPlan,
  active: ActivePlan | undefined,
  failing: readonly PolicyFailure[],
): Promise<CoverageReport> {
  const described = describePlan(plan, await estimateClasses(db, plan))
  const oids = new Map([...plan.tables, ...plan.refused].map((table) => [`${table.schema}.${table.name}`, table.oid]))
  const dependencies = plan.tables.flatMap((table) => table.definitions.flatMap((one) => one.dependencies))
  const all = [...new Set([...oids.values(), ...dependencies.map((one) => one.oid)])]
  const [statistics, policies, sizes] = [
    await readStatistics(db, all),
    await db.transaction((tx) => readPolicies(tx, all)),
    await readSizes(db),
  ]
  const served = new Map(
    [...(active?.tables.values() ?? [])].flatMap(({ definitions }) =>
      definitions.map((one) => [one.definition.id, one.stored.number] as const),
    ),
  )
  const tables = described.tables.map((table): TableCoverage => {
    const oid = oids.get(table.table) ?? 0
    const planned = plan.tables.find((one) => one.oid === oid)
    const refused = plan.refused.find((one) => one.oid === oid)
    // In plan order, because definitions of several streams may share an id.
    const definitions = (planned?.definitions ?? []).map((definition, index): DefinitionCoverage => {
      const words = table.synced ? table.definitions[index] : undefined
      const number = served.get(definition.id)
      const size = number === undefined ? undefined : sizes.get(number)
      const own = statistics.get(oid)
      return {
        ...(words as DefinitionDescription),
        state: number === undefined ? 'being read' : 'served',
        columns: definition.columns,
        claims: claimsOf([definition.keyQuery, definition.accessClass?.condition ?? '']),
        cost: {
          rows: own?.rows,
          distinctKeys: distinctKeys(definition.keys, own),
          buckets: size?.buckets ?? 0,
          operations: size?.operations ?? 0,
          reevaluations: definition.dependencies.map((dependency) => ({
            table: `${dependency.schema}.${dependency.name}`,
            columns: dependency.columns,
            concerns: concernsOf(dependency),
            rows: statistics.get(dependency.oid)?.rows,
            changes: statistics.get(dependency.oid)?.changes ?? 0,
          })),
        },
      }
    })
    return {
      table: table.table,
      synced: table.synced,
      localName: planned?.localName,
      reason: refused?.reason,
      refusedPolicy: refused?.policy,
      failing: failing.filter((one) => one.table === planned?.localName),
      rows: statistics.get(oid)?.rows,
      policies: (policies.get(oid) ?? []).map((policy) => ({
        ...policy,
        definitions: definitions.filter((one) => one.policies.includes(policy.name)).map(({ id }) => id),
      })),
      definitions,
    }
  })
  return { version: plan.version, tables, streams: plan.streams }
}

/** Returns the request data a text reads: settings and functions of schema `auth`. */
function claimsOf(texts: readonly string[]): readonly string[] {
  const found = texts.flatMap((text) => [
    ...text.matchAll(
      /(?:"?auth"?\."?\w+"?\(\)|"?subscription"?\."?\w+"?\([^()]*(?:\('[^']*'\))?[^()]*\)|current_setting\('[^']+'[^)]*\))(?:[^\S\n]*(?:->>?|#>>?)[^\S\n]*'[^']*'(?:::\w+)?)*/g,
    ),
  ])
  return [...new Set(found.map(([text]) => text))]
}

function distinctKeys(
  keys: SyncPlan['tables'][number]['definitions'][number]['keys'],
  statistics: TableStatistics | undefined,
): number | undefined {
  if (keys.length === 0) return 1
  let product = 1
  for (const { column } of keys) {
    const distinct = column === undefined ? undefined : statistics?.distinct.get(column)
    if (distinct === undefined) return undefined
    product *= distinct
  }
  return Math.round(Math.min(product, statistics?.rows ?? product))
}

async function readStatistics(db: Queryable, oids: readonly number[]): Promise<ReadonlyMap<number, TableStatistics>> {
  const rows = await db.query<{
    oid: string
    rows: number
    changes: string
    distinct: Record<string, number> | null
  }>(sql`
    select c.oid::int8::text as oid, c.reltuples::float8 as rows,
           (coalesce(pg_stat_get_tuples_inserted(c.oid), 0) + coalesce(pg_stat_get_tuples_updated(c.oid), 0)
             + coalesce(pg_stat_get_tuples_deleted(c.oid), 0))::text as changes,
           (select jsonb_object_agg(s.attname, s.n_distinct) from pg_catalog.pg_stats s
             where s.schemaname = n.nspname and s.tablename = c.relname
               and s.inherited = (c.relkind = 'p')) as distinct
      from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where c.oid = any(${oids}::int8[]::oid[])
  `)
  return new Map(
    rows.map((row) => {
      const count = row.rows < 0 ? undefined : row.rows
      const distinct = new Map(
        Object.entries(row.distinct ?? {}).flatMap(([name, value]) =>
          value >= 0 ? [[name, value] as const] : count === undefined ? [] : [[name, -value * count] as const],
        ),
      )
      return [Number(row.oid), { rows: count, changes: Number(row.changes), distinct }] as const
    }),
  )
}

async function readPolicies(
  db: Queryable,
  oids: readonly number[],
): Promise<ReadonlyMap<number, readonly Omit<PolicyCoverage, 'definitions'>[]>> {
  await db.execute(sql`set local search_path = pg_catalog`) // qualifies all other names with their schema
  const rows = await db.query<{
    oid: string
    name: string
    permissive: boolean
    roles: string[]
    using: string | null
  }>(sql`
    select p.polrelid::int8::text as oid, p.polname as name, p.polpermissive as permissive,
           array(select case when r = 0 then 'public' else pg_get_userbyid(r)::text end from unnest(p.polroles) r order by 1) as roles,
           pg_get_expr(p.polqual, p.polrelid) as using
      from pg_catalog.pg_policy p
     where p.polcmd in ('r', '*') and p.polrelid = any(${oids}::int8[]::oid[])
     order by p.polpermissive desc, p.polname
  `)
  const byTable = new Map<number, Omit<PolicyCoverage, 'definitions'>[]>()
  for (const { oid, ...policy } of rows) {
    const list = byTable.get(Number(oid)) ?? []
    byTable.set(Number(oid), list)
    list.push({ ...policy, forms: policy.using === null ? [] : policyForms(policy.using) })
  }
  return byTable
}

async function readSizes(
  db: Queryable,
): Promise<ReadonlyMap<number, { readonly buckets: number; readonly operations: number }>> {
  const rows = await db.query<{ definition: number; buckets: number; operations: string }>(sql`
    select definition, count(*)::int as buckets, sum(count)::text as operations from sync.buckets group by definition
  `)
  return new Map(rows.map((row) => [row.definition, { buckets: row.buckets, operations: Number(row.operations) }]))
}

function concernsOf({ pin }: Dependency): Reevaluation['concerns'] {
  if (!pin) return 'everybody'
  const { column } = pin
  return 'claimSql' in pin ? { column, claim: pin.claimSql } : { column, values: pin.valuesSql }
}
