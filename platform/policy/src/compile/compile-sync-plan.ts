import { createHash } from 'node:crypto'
import { type Catalog, createCatalog } from '../catalog/catalog.ts'
import type { PolicyInput, TableInfo } from '../catalog/policy-input.ts'
import type {
  AccessClass,
  BucketDefinition,
  KeyFunction,
  PlannedColumn,
  RefusedTable,
  StreamPlan,
  SyncPlan,
  TableName,
  TablePlan,
} from '../plan.ts'
import { chooseRowKey, localColumnName, type RowKey } from '../row-key.ts'
import { shapeOfType } from '../type-shape.ts'
import { anyOf, classKeyQuery } from './access-class.ts'
import { compileRole, PolicyRefusal, type RolePart } from './compile-role.ts'
import { mergeDependencies } from './dependencies.ts'
import { readStreamQueries, type StreamCondition, type StreamQueries } from './stream-queries.ts'

/**
 * Compiles the policies of a database into bucket definitions. Pure: the same input gives the same plan. A table whose policies cannot be followed
 * exactly is refused as a whole, with the reason.
 */
export function compileSyncPlan(input: PolicyInput): SyncPlan {
  const catalog = createCatalog(input)
  const tables: TablePlan[] = []
  const refused: RefusedTable[] = []
  const keyFunctions = new Map<string, KeyFunction>()
  const localNames = new Map<string, TableInfo>()
  const queries = readStreamQueries(catalog)
  for (const table of input.tables) {
    if (!input.schemas.includes(table.schema)) continue
    const outcome = compileTable(table, catalog, queries)
    if ('reason' in outcome) {
      refused.push({ ...nameOf(table), ...outcome })
      continue
    }
    const taken = localNames.get(outcome.plan.localName)
    if (taken) {
      refused.push({
        ...nameOf(table),
        reason: `its name on the device, ${outcome.plan.localName}, is taken by ${taken.schema}.${taken.name}`,
      })
      continue
    }
    localNames.set(outcome.plan.localName, table)
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

type Outcome = { readonly plan: TablePlan; readonly keyFunctions: readonly KeyFunction[] } | Refused

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

/** Function bodies and the policies of tables that key queries read are in no text of the plan, so they are hashed beside it. */
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

/** The parts that one stream, or the default, takes of a table. */
interface WantedParts {
  readonly stream: string | undefined
  readonly parts: readonly RolePart[]
}

function compileTable(table: TableInfo, catalog: Catalog, queries: StreamQueries): Outcome {
  const unfit = reasonNotToSync(table, catalog)
  if (unfit) return { reason: unfit }
  const key = chooseRowKey(table.uniqueKeys)
  if (!key) return { reason: NO_KEY }
  const wanted = compileWanted(table, key, catalog, queries)
  if ('reason' in wanted) return wanted
  const columnNames = table.columns.map((column) => column.name)
  const plan: TablePlan = {
    ...nameOf(table),
    localName: localNameOf(table),
    key,
    columns: table.columns.map((column) => plannedColumn(column, columnNames, key, catalog)),
    definitions: wanted.flatMap(({ stream, parts }) => mergeParts(parts, table, catalog, stream)),
  }
  const parts = wanted.flatMap((one) => one.parts)
  return { plan, keyFunctions: parts.flatMap((part) => part.assembled.keyFunctions) }
}

/** A table that streams name is wanted through them alone, any other by default. */
function compileWanted(
  table: TableInfo,
  key: RowKey,
  catalog: Catalog,
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
      // Whose fault is it?
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
  catalog: Catalog,
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

function planStreams(
  { byTable, refused, parameters }: StreamQueries,
  tables: readonly TablePlan[],
  refusedTables: readonly RefusedTable[],
  catalog: Catalog,
): readonly StreamPlan[] {
  return catalog.input.streams.map(({ name, priority, autoSubscribe }) => {
    const own = [...byTable].flatMap(([oid, queries]) =>
      queries.filter((one) => one.stream === name).map((one) => ({ ...one, oid })),
    )
    const unsynced = own.flatMap(({ oid, text }) => {
      const table = refusedTables.find((one) => one.oid === oid)
      return table ? [{ query: text, reason: `${table.schema}.${table.name} does not sync: ${table.reason}` }] : []
    })
    const oids = new Set(own.map(({ oid }) => oid))
    return {
      name,
      priority,
      autoSubscribe,
      tables: tables
        .filter(({ oid }) => oids.has(oid))
        .map(({ schema, name: table, oid }) => ({ schema, name: table, oid })),
      parameters: [...(parameters.get(name) ?? [])].map(([parameter, sql]) => ({ name: parameter, sql })),
      refused: [...(refused.get(name) ?? []), ...unsynced],
    }
  })
}

function localNameOf(table: TableInfo): string {
  if (table.schema === 'public') return table.name
  return table.schema === 'holdfast' ? `hf_${table.name}` : `${table.schema}__${table.name}`
}

function plannedColumn(
  { name, typeOid, typeName }: TableInfo['columns'][number],
  columnNames: readonly string[],
  key: RowKey,
  catalog: Catalog,
): PlannedColumn {
  const baseTypeOid = catalog.type(typeOid)?.base || typeOid
  const base = catalog.type(baseTypeOid)
  return {
    name,
    typeOid,
    baseTypeOid,
    typeName,
    typeKind: base?.kind ?? 'b',
    elementOid: base?.element ? catalog.type(base.element)?.base || base.element : 0,
    shape: shapeOfType(typeOid, (oid) => catalog.type(oid)),
    localName: localColumnName(name, columnNames, key.columns),
  }
}

function reasonNotToSync(table: TableInfo, catalog: Catalog): string | undefined {
  if (table.kind === 'v' || table.kind === 'm') return 'it is a view'
  if (table.kind === 'f') return 'it is a foreign table, whose changes cannot be seen'
  if (table.isPartition) return 'it is a partition: its rows sync with those of the table that it belongs to'
  if (table.inherits && table.kind !== 'p') return 'it takes part in inheritance'
  if (table.persistence !== 'p') return 'it is not logged, so that its changes cannot be seen'
  if (!table.rls) return 'row-level security is off'
  const virtual = table.columns.find((column) => column.generated === 'v')
  if (virtual) return `its column ${virtual.name} is generated when it is read, so that it is in no change`
  const stored = table.columns.find((column) => column.generated === 's')
  if (stored && catalog.input.serverVersion < 180_000)
    return `its column ${stored.name} is generated, and this Postgres does not replicate such columns`
  const owner = catalog.input.apiRoles.find((role) => catalog.role(role)?.memberOf.includes(table.owner))
  if (owner !== undefined)
    return `the role ${catalog.role(owner)?.name ?? owner} owns it, and policies do not bind owners`
  return undefined
}

/** Parts that fill the same bucket become one definition; of roles that get its keys differently, each has its own. */
function mergeParts(
  parts: readonly RolePart[],
  table: TableInfo,
  catalog: Catalog,
  stream: string | undefined,
): readonly BucketDefinition[] {
  const definitions: BucketDefinition[] = []
  for (const group of Map.groupBy(parts, (part) => bucketText(part, table, catalog)).values()) {
    const perRole = [...Map.groupBy(group, (part) => part.role)].map(([role, ofRole]) => ({
      role,
      parts: ofRole,
      ...keysOf(ofRole, table),
    }))
    const perQuery = [...Map.groupBy(perRole, (one) => one.keyQuery)]
    perQuery.forEach(([keyQuery, ofQuery], index) => {
      const all = ofQuery.flatMap((one) => one.parts)
      const [first] = all
      if (!first) return
      const roles = ofQuery.map((one) => one.role).sort()
      const text = bucketText(first, table, catalog) + (index === 0 ? '' : JSON.stringify(roles))
      definitions.push({
        id: `${localNameOf(table)}.${createHash('sha256').update(text).digest('hex').slice(0, 8)}`,
        stream,
        roles,
        policies: [...new Set(all.flatMap((part) => part.policies))],
        columns: first.columns,
        rowFilter: first.assembled.rowFilter,
        keys: first.assembled.keys,
        keyQuery,
        accessClass: ofQuery[0]?.accessClass,
        dependencies: mergeDependencies(all.flatMap((part) => part.assembled.dependencies)),
      })
    })
  }
  return definitions
}

/** What of several parts has to hold for a person to have the bucket: any of them. */
function keysOf(
  parts: readonly RolePart[],
  table: TableInfo,
): { readonly keyQuery: string; readonly accessClass: AccessClass | undefined } {
  const classes = parts.flatMap(({ assembled }) => (assembled.accessClass ? [assembled.accessClass] : []))
  if (classes.length === 0) {
    const queries = new Set(parts.map((part) => part.assembled.keyQuery))
    return { keyQuery: [...queries].join(' union '), accessClass: undefined }
  }
  const keys = parts[0]?.assembled.keys ?? []
  const names = new Set(keys.slice(classes[0]?.link?.keys ?? 0).map((key) => key.column))
  const accessClass = anyOf(
    classes,
    table.columns.filter((column) => names.has(column.name)),
  )
  return { keyQuery: classKeyQuery(table, keys, accessClass), accessClass }
}

/** What rows' ids are made of, where it is not the one column `id`. */
function keyInText(table: TableInfo): readonly unknown[] {
  const key = chooseRowKey(table.uniqueKeys)
  return key?.columns.length === 1 && key.columns[0] === 'id' ? [] : [key?.columns]
}

/** What the values of a column are made of, where its type's name does not say it: members of composites, types under domains. */
function insideOf(name: string, table: TableInfo, catalog: Catalog): readonly unknown[] {
  const typeOid = table.columns.find((column) => column.name === name)?.typeOid ?? 0
  const shape = shapeOfType(typeOid, (oid) => catalog.type(oid))
  return shape.kind === 'scalar' && shape.oid === typeOid ? [] : [shape]
}

/** What a bucket holds, in text. */
function bucketText(part: RolePart, table: TableInfo, catalog: Catalog): string {
  const types = new Map(table.columns.map((column) => [column.name, column.typeName]))
  const { rowFilter, keys, rowFunctions } = part.assembled
  return JSON.stringify([
    table.schema,
    table.name,
    part.columns.map((name) => [name, types.get(name), ...insideOf(name, table, catalog)]),
    ...keyInText(table),
    rowFilter?.sql ?? null,
    keys.map((key) => [key.kind, key.sql]),
    rowFunctions,
    // Of two links each has its own classes to ask for.
    ...(part.assembled.accessClass ? ['class', part.assembled.accessClass.link?.query ?? null] : []),
  ])
}
