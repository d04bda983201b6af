import { createHash } from 'node:crypto'
import { assert, errorMessage } from '@holdfast/foundation'
import { quoteName } from '@holdfast/postgres'
import { type PolicyCatalog, createPolicyCatalog } from '../catalog/policy-catalog.ts'
import type { PolicyInput, TableInfo } from '../catalog/policy-input.ts'
import type { KeyFunction, PlannedColumn, RefusedTable, SyncPlan, TableName, TablePlan } from '../plan.ts'
import { Refusal } from '../refusal.ts'
import { chooseRowKey, type RowKey } from '../row-key.ts'
import { shapeOfType } from '../type-shape.ts'
import { compileRole, PolicyRefusal, type RolePart } from './compile-role.ts'
import { localColumnOf, localNameOf } from './local-name.ts'
import { mergeParts } from './merge-parts.ts'
import { planStreams } from './plan-streams.ts'
import { readStreamQueries, type StreamCondition, type StreamQueries } from './stream-queries.ts'
import { findVirtualColumns } from './table-access.ts'

/** Compiles a database's policies into bucket definitions. Pure. Refuses a table as a whole, with a reason, if its policies cannot be compiled exactly. */
export function compileSyncPlan(input: PolicyInput): SyncPlan {
  const catalog = createPolicyCatalog(input)
  const queries = readStreamQueries(catalog)
  const outcomes = new Map<number, Outcome>()
  for (const table of tablesToSync(input)) outcomes.set(table.oid, compileContained(table, catalog, queries))
  return assemblePlan(catalog, queries, outcomes)
}

/** Returns the tables to compile, each independently. */
export function tablesToSync(input: PolicyInput): readonly TableInfo[] {
  return input.tables.filter((table) => input.schemas.includes(table.schema))
}

/** Assembles a plan from the results per table. */
export function assemblePlan(
  catalog: PolicyCatalog,
  queries: StreamQueries,
  outcomes: ReadonlyMap<number, Outcome>,
): SyncPlan {
  const { input } = catalog
  const tables: TablePlan[] = []
  const refused: RefusedTable[] = []
  const keyFunctions = new Map<string, KeyFunction>()
  for (const table of tablesToSync(input)) {
    const outcome = outcomes.get(table.oid)
    assert(outcome !== undefined, 'every table to sync was compiled')
    if ('reason' in outcome) {
      refused.push({ ...nameOf(table), ...outcome })
      continue
    }
    tables.push(outcome.plan)
    for (const f of outcome.keyFunctions) keyFunctions.set(f.name, f)
  }
  const streams = planStreams(queries, tables, refused, catalog)
  const published = publishedTables(tables)
  const plan = { tables, streams, refused, keyFunctions: [...keyFunctions.values()], published }
  return { version: versionOf(plan, input), ...plan }
}

const NO_KEY =
  'it has no key: a primary key, or a unique index over columns that are NOT NULL, has to tell its rows apart'

/** Compilation result of one table. */
export type Outcome = { readonly plan: TablePlan; readonly keyFunctions: readonly KeyFunction[] } | Refused

function nameOf(table: TableInfo): TableName {
  return { schema: table.schema, name: table.name, oid: table.oid }
}

function publishedTables(tables: readonly TablePlan[]): readonly TableName[] {
  const published = new Map<number, TableName>()
  for (const table of tables) {
    for (const { schema, name, oid } of [
      table,
      ...table.definitions.flatMap((definition) => definition.dependencies),
    ]) {
      published.set(oid, { schema, name, oid })
    }
  }
  return [...published.values()].sort((left, right) =>
    JSON.stringify([left.schema, left.name]) < JSON.stringify([right.schema, right.name]) ? -1 : 1,
  )
}

/** Hashes the plan together with function bodies and policies of tables read by key queries, which do not appear in its text. */
function versionOf(plan: Omit<SyncPlan, 'version'>, input: PolicyInput): string {
  const behind = [
    input.policies,
    input.tables.map((table) => table.view),
    input.functions.map((f) => f.hash),
    input.roles,
    input.searchPath,
  ]
  return createHash('sha256')
    .update(JSON.stringify([plan, behind]))
    .digest('hex')
    .slice(0, 16)
}

interface Refused {
  readonly reason: string
  readonly policy?: string
}

/** The parts of a table wanted by one stream, or by default. */
interface WantedParts {
  readonly stream: string | undefined
  readonly parts: readonly RolePart[]
}

/** Compiles a table; errors, including our own, affect only that table. */
export function compileContained(table: TableInfo, catalog: PolicyCatalog, queries: StreamQueries): Outcome {
  try {
    return compileTable(table, catalog, queries)
  } catch (error) {
    if (error instanceof Refusal) return { reason: error.message }
    return { reason: `its policies could not be compiled, which is a defect of Holdfast: ${errorMessage(error)}` }
  }
}

function compileTable(table: TableInfo, catalog: PolicyCatalog, queries: StreamQueries): Outcome {
  const unfit = reasonNotToSync(table, catalog)
  if (unfit) return { reason: unfit }
  const key = chooseRowKey(table.uniqueIndexes)
  if (!key) return { reason: NO_KEY }
  const wanted = compileWanted(table, key, catalog, queries)
  if ('reason' in wanted) return wanted
  const plan: TablePlan = {
    ...nameOf(table),
    localName: localNameOf(table, catalog),
    key,
    columns: table.columns.map((column) => plannedColumn(column, table, catalog)),
    definitions: wanted.flatMap(({ stream, parts }) => mergeParts(parts, table, catalog, stream)),
  }
  const parts = wanted.flatMap((one) => one.parts)
  return { plan, keyFunctions: parts.flatMap((part) => part.assembled.keyFunctions) }
}

/** Compiles a table as needed: only through the streams that name it, otherwise by default. */
function compileWanted(
  table: TableInfo,
  key: RowKey,
  catalog: PolicyCatalog,
  { byTable, refused }: StreamQueries,
): readonly WantedParts[] | Refused {
  const queries = byTable.get(table.oid)
  if (!queries) {
    const parts = compileParts(table, key, catalog)
    return 'reason' in parts ? parts : [{ stream: undefined, parts }]
  }
  const wanted: WantedParts[] = []
  for (const [stream, ofStream] of Map.groupBy(queries, (query) => query.stream)) {
    const parts: RolePart[] = []
    for (const { text, condition } of ofStream) {
      const outcome = compileParts(table, key, catalog, condition)
      if (!('reason' in outcome)) {
        parts.push(...outcome)
        continue
      }
      // Determine whether table or stream is at fault.
      const whole = compileParts(table, key, catalog)
      if ('reason' in whole) return whole
      refused.get(stream)?.push({ query: text, reason: outcome.reason })
    }
    wanted.push({ stream, parts })
  }
  return wanted
}

function compileParts(
  table: TableInfo,
  key: RowKey,
  catalog: PolicyCatalog,
  condition?: StreamCondition,
): readonly RolePart[] | Refused {
  const parts: RolePart[] = []
  const roleReasons: string[] = []
  for (const role of catalog.input.apiRoles) {
    try {
      const outcome = compileRole(table, key, role, catalog, condition)
      if (typeof outcome === 'string') roleReasons.push(outcome)
      else parts.push(...outcome)
    } catch (error) {
      if (!(error instanceof PolicyRefusal)) throw error
      if (error.cause.scope === 'table')
        return { reason: error.cause.message, ...(error.policy ? { policy: error.policy } : {}) }
      roleReasons.push(error.cause.message)
    }
  }
  return parts.length > 0 ? parts : { reason: [...new Set(roleReasons)].join('; ') || 'no API role exists' }
}

function plannedColumn(
  { name, typeOid, typeName, collation }: TableInfo['columns'][number],
  table: TableInfo,
  catalog: PolicyCatalog,
): PlannedColumn {
  const baseTypeOid = catalog.type(typeOid)?.base || typeOid
  const base = catalog.type(baseTypeOid)
  return {
    name,
    typeOid,
    baseTypeOid,
    typeName,
    ...(collation ? { collation: quoteName(collation.schema, collation.name) } : {}),
    typeKind: base?.kind ?? 'b',
    elementOid: base?.element ? catalog.type(base.element)?.base || base.element : 0,
    shape: shapeOfType(typeOid, (oid) => catalog.type(oid)),
    localName: localColumnOf(name, table),
  }
}

function reasonNotToSync(table: TableInfo, catalog: PolicyCatalog): string | undefined {
  if (table.kind === 'v' || table.kind === 'm') return 'it is a view'
  if (table.kind === 'f') return 'it is a foreign table, whose changes cannot be seen'
  if (table.isPartition) return 'it is a partition: its rows sync with those of the table that it belongs to'
  if (table.inherits && table.kind !== 'p') return 'it takes part in inheritance'
  if (table.persistence !== 'p') return 'it is not logged, so that its changes cannot be seen'
  if (!table.rls) return 'row-level security is off'
  const virtual = findVirtualColumns(table)
  if (virtual) return virtual
  const stored = table.columns.find((column) => column.generated === 's')
  if (stored && catalog.input.serverVersion < 180_000)
    return `its column ${stored.name} is generated, and this Postgres does not replicate such columns`
  const owner = catalog.input.apiRoles.find((role) => catalog.role(role)?.memberOf.includes(table.owner))
  if (owner !== undefined)
    return `the role ${catalog.role(owner)?.name ?? owner} owns it, and policies do not bind owners`
  return undefined
}
