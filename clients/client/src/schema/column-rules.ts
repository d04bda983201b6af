import type { ColumnDescriptor, SchemaDescriptor } from '@holdfast/protocol'

/** Link columns of a table with the local name of the referenced table. */
export type LinksOf = (table: string) => ReadonlyMap<string, string>

/** Returns how a column is guarded, if it is. */
export type GuardOf = (table: string, column: string) => ColumnDescriptor['guard']

/** Extracts the guards from a schema. */
export function guardsOfSchema(descriptor: SchemaDescriptor): GuardOf {
  const guards = new Map(
    descriptor.tables.map((table) => [table.name, new Map(table.columns.map(({ name, guard }) => [name, guard]))]),
  )
  return (table, name) => guards.get(table)?.get(name)
}

/** Extracts links between tables from the schema's foreign keys. */
export function linksOfSchema(descriptor: SchemaDescriptor): LinksOf {
  const links = new Map(
    descriptor.tables.map((table) => [
      table.name,
      new Map(table.columns.flatMap(({ name, references }) => (references ? [[name, references.table] as const] : []))),
    ]),
  )
  const none: ReadonlyMap<string, string> = new Map()
  return (table) => links.get(table) ?? none
}
