import {
  quoteLiteral,
  quoteName,
  type Catalog,
  type Column,
  type Relationship,
  type Routine,
  type Table,
} from '@holdfast/postgres'
import type { RestCatalog, RestColumn, RestRelation, RestRelationship, RestRoutine } from './catalog.ts'

/**
 * The planner's view of a catalog, indexed by name.
 *
 * @returns a function that makes the view once per catalog
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
  const relations = new Map(catalog.tables.map((table) => [key(table.schema, table.name), toRelation(table)]))
  const relationships = groupBy(catalog.relationships.map(toRelationship), ({ from }) => key(from.schema, from.name))
  const callable = catalog.routines.filter(isCallable).map((routine) => toRoutine(routine, catalog))
  const routines = groupBy(callable, ({ schema, name }) => key(schema, name))
  const relationNames = groupBy(catalog.tables, ({ schema }) => schema)
  const routineNames = groupBy(callable, ({ schema }) => schema)
  return {
    relation: (schema, name) => relations.get(key(schema, name)),
    relationNames: (schema) => (relationNames.get(schema) ?? []).map(({ name }) => name),
    relationships: (schema, name) => relationships.get(key(schema, name)) ?? [],
    routines: (schema, name) => routines.get(key(schema, name)) ?? [],
    routineNames: (schema) => [...new Set((routineNames.get(schema) ?? []).map(({ name }) => name))],
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

function toRelation(table: Table): RestRelation {
  const { schema, name, primaryKey, insertable, updatable, deletable } = table
  const columns = new Map(table.columns.map((column) => [column.name, toColumn(table, column)]))
  return { schema, name, columns, primaryKey, insertable, updatable, deletable }
}

function toColumn(table: Table, column: Column): RestColumn {
  const { name, type, identity } = column
  if (identity !== 'by default') return { name, type, defaultSql: column.default }
  const owner = quoteLiteral(quoteName(table.schema, table.name)).trim()
  const defaultSql = `pg_catalog.nextval(pg_catalog.pg_get_serial_sequence(${owner}, ${quoteLiteral(name).trim()})::regclass)`
  return { name, type, defaultSql }
}

function toRelationship(relationship: Relationship): RestRelationship {
  const from = { schema: relationship.fromSchema, name: relationship.fromTable }
  const to = { schema: relationship.toSchema, name: relationship.toTable }
  if (relationship.kind !== 'many-to-many') {
    const columns = zip(relationship.fromColumns, relationship.toColumns)
    return {
      cardinality: relationship.kind,
      constraint: relationship.constraint,
      from,
      to,
      columns,
      junction: undefined,
    }
  }
  return {
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

/** A function that can be called by naming its arguments, or with the whole body as the only one. */
function isCallable({ kind, returns, parameters }: Routine): boolean {
  if (kind !== 'function' || returns.kind === 'trigger') return false
  return parameters.every(({ name }) => name !== '') || parameters.length === 1
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
    statementTimeout: settings['statement_timeout'],
  }
}
