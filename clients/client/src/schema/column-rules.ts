import type { ColumnDescriptor, SchemaDescriptor } from '@holdfast/protocol'

/** Columns of a table that link to another table, by column: the other table's local name. */
export type LinksOf = (table: string) => ReadonlyMap<string, string>

/** How a column is guarded, if it is. */
export type GuardOf = (table: string, column: string) => ColumnDescriptor['guard']

/** How each column is guarded, by table and column. */
export function guardsOfSchema(descriptor: SchemaDescriptor): GuardOf {
  const guards = new Map(
    descriptor.tables.map((table) => [table.name, new Map(table.columns.map(({ name, guard }) => [name, guard]))]),
  )
  return (table, name) => guards.get(table)?.get(name)
}

/** The links between tables, as the server's foreign keys have them. */
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
