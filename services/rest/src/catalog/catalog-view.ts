import {
  quoteLiteral,
  quoteName,
  type Catalog,
  type Column,
  type Relationship,
  type Routine,
  type Table,
  viewKey,
} from '@holdfast/postgres'
import { computedRelationships } from './computed-relationships.ts'
import { wholeType } from './whole-type.ts'
import type {
  RestCatalog,
  RestColumn,
  RestKeyRelationship,
  RestMediaHandler,
  RestRelation,
  RestRelationship,
  RestRepresentation,
  RestRoutine,
} from './catalog.ts'

/** Types of a single unnamed parameter that receives the whole body. */
const WHOLE_BODY_TYPES: ReadonlySet<string> = new Set(['bytea', 'json', 'jsonb', 'text', 'xml'])

const NOT_REPRESENTED: RestRepresentation = {}

/**
 * Creates the planner's view of a catalog, indexed by name.
 *
 * @returns a function that caches the view per catalog
 */
export function createCatalogView(): (catalog: Catalog) => RestCatalog {
  const views = new WeakMap<Catalog, RestCatalog>()
  return (catalog) => {
    const known = views.get(catalog)
    if (known) return known
    const view = indexCatalog(catalog)
    views.set(catalog, view)
    return view
  }
}

function indexCatalog(catalog: Catalog): RestCatalog {
  // As in PostgREST, partitions are not separate resources; their parent represents them.
  const tables = catalog.tables.filter(({ partitionOf }) => partitionOf === undefined)
  const representations = indexRepresentations(catalog)
  const relations = new Map(
    tables.map((table) => [key(table.schema, table.name), toRelation(table, catalog, representations)]),
  )
  const relationships = groupBy(relationshipsOf(catalog), ({ from }) => key(from.schema, from.name))
  const callable = catalog.routines.filter(isCallable).map((routine) => toRoutine(routine, catalog))
  const routines = groupBy(callable, ({ schema, name }) => key(schema, name))
  const relationNames = groupBy(tables, ({ schema }) => schema)
  const routineNames = groupBy(callable, ({ schema }) => schema)
  const mediaHandlers = groupBy(catalog.mediaHandlers, ({ target }) => handlerKey(target))
  return {
    relation: (schema, name) => relations.get(key(schema, name)),
    relationNames: (schema) => (relationNames.get(schema) ?? []).map(({ name }) => name),
    relationships: (schema, name) => relationships.get(key(schema, name)) ?? [],
    routines: (schema, name) => routines.get(key(schema, name)) ?? [],
    routineNames: (schema) => [...new Set((routineNames.get(schema) ?? []).map(({ name }) => name))],
    mediaHandlers: (target) => mediaHandlers.get(handlerKey(target)) ?? [],
    geoJsonFunction: catalog.geoJsonFunction,
  }
}

function key(schema: string, name: string): string {
  return `${schema}\0${name}`
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

function handlerKey({ kind, schema, name }: RestMediaHandler['target']): string {
  return `${kind}\0${key(schema, name)}`
}

/** Lists relationships. A function over a row replaces detected relationships to a relation with its name. */
function relationshipsOf(catalog: Catalog): readonly RestRelationship[] {
  const computed = computedRelationships(catalog)
  const replaced = new Set(
    computed.map(({ from, function: { schema, name } }) => `${key(from.schema, from.name)}\0${key(schema, name)}`),
  )
  const detected = catalog.relationships
    .map((relationship) => toRelationship(relationship, catalog))
    .filter(({ from, to }) => !replaced.has(`${key(from.schema, from.name)}\0${key(to.schema, to.name)}`))
  return [...computed, ...detected]
}

function indexRepresentations(catalog: Catalog): ReadonlyMap<number, RestRepresentation> {
  const found = new Map<number, RestRepresentation>()
  for (const { sourceOid, targetOid, direction, format, functionSchema, functionName } of catalog.representations) {
    const domain = direction === 'from domain' ? sourceOid : targetOid
    const name = quoteName(functionSchema, functionName)
    const known = found.get(domain) ?? {}
    if (direction === 'from domain') found.set(domain, format === 'json' ? { ...known, toJson: name } : known)
    else found.set(domain, format === 'json' ? { ...known, fromJson: name } : { ...known, fromText: name })
  }
  return found
}

function toRelation(
  table: Table,
  catalog: Catalog,
  representations: ReadonlyMap<number, RestRepresentation>,
): RestRelation {
  const { schema, name, insertable, updatable, deletable } = table
  const columns = new Map(
    table.columns.map((column) => [
      column.name,
      toColumn(table, column, representations.get(column.typeOid) ?? NOT_REPRESENTED),
    ]),
  )
  const primaryKey = primaryKeyOf(table, catalog)
  return { schema, name, columns, primaryKey, insertable, updatable, deletable }
}

function toColumn(table: Table, column: Column, representation: RestRepresentation): RestColumn {
  const { name, type, baseType, identity } = column
  if (identity !== 'by default') return { name, type, baseType, defaultSql: defaultOf(column), representation }
  const owner = quoteLiteral(quoteName(table.schema, table.name)).trim()
  const defaultSql = `pg_catalog.nextval(pg_catalog.pg_get_serial_sequence(${owner}, ${quoteLiteral(name).trim()})::regclass)`
  return { name, type, baseType, defaultSql, representation }
}

/** Casts a default to its column's type, which Postgres's text omits. Not for domains, which may reject an unused default. */
function defaultOf({ default: printed, typeOid, baseTypeOid, baseType }: Column): string | undefined {
  if (printed === undefined || typeOid !== baseTypeOid) return printed
  return `(${printed})::${wholeType(baseType)}`
}

function toRelationship(relationship: Relationship, catalog: Catalog): RestKeyRelationship {
  const from = { schema: relationship.fromSchema, name: relationship.fromTable }
  const to = { schema: relationship.toSchema, name: relationship.toTable }
  const kindOfTarget = catalog.tableByOid(relationship.toOid)?.kind
  const toIsView = kindOfTarget === 'view' || kindOfTarget === 'materialized view'
  if (relationship.kind !== 'many-to-many') {
    const columns = zip(relationship.fromColumns, relationship.toColumns)
    return {
      kind: 'key',
      toIsView,
      cardinality: relationship.kind,
      constraint: relationship.constraint,
      from,
      to,
      columns,
      junction: undefined,
    }
  }
  return {
    kind: 'key',
    toIsView,
    cardinality: 'many-to-many',
    constraint: '',
    from,
    to,
    columns: zip(relationship.fromColumns, relationship.junctionFromColumns),
    junction: {
      schema: relationship.junctionSchema,
      name: relationship.junctionTable,
      constraints: [relationship.fromConstraint, relationship.toConstraint],
      columns: zip(relationship.junctionToColumns, relationship.toColumns),
    },
  }
}

function zip(left: readonly string[], right: readonly string[]): { readonly from: string; readonly to: string }[] {
  return left.map((from, index) => ({ from, to: right[index] ?? from }))
}

/** Returns whether a function can be called with named arguments, or with the whole body as its only argument. */
function isCallable({ kind, returns, parameters }: Routine): boolean {
  if (kind !== 'function' || returns.kind === 'trigger') return false
  const [only] = parameters
  if (parameters.length === 1 && only?.name === '') return WHOLE_BODY_TYPES.has(only.type)
  return parameters.every(({ name }) => name !== '')
}

function toRoutine(routine: Routine, catalog: Catalog): RestRoutine {
  const { schema, name, returns, volatility, parameters, settings } = routine
  const table = returns.tableOid === undefined ? undefined : catalog.tableByOid(returns.tableOid)
  const isRow = returns.kind === 'composite' || returns.columns.length > 0
  return {
    schema,
    name,
    parameters: parameters.map((parameter, index) => ({
      name: parameter.name,
      type: parameter.type,
      hasDefault: !parameter.required,
      variadic: routine.variadic && index === parameters.length - 1,
    })),
    volatility,
    returnsSet: returns.isSet,
    returns: returns.kind === 'void' ? 'void' : isRow ? 'composite' : 'scalar',
    returnsRelation: table && { schema: table.schema, name: table.name },
    settings,
  }
}

/** Returns the primary key of a table; for a view, its columns that are primary keys of underlying tables. */
export function primaryKeyOf(table: Table, catalog: Pick<Catalog, 'tableByOid'>): readonly string[] {
  const isView = table.kind === 'view' || table.kind === 'materialized view'
  return isView ? viewKey(table, catalog.tableByOid) : table.primaryKey
}
