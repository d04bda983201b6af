import type { ForeignKey, Relationship, RelationshipEnds, Table } from './catalog.ts'

/**
 * Derives all relationships between tables and views from the foreign keys. A view substitutes a table in a key if it has all key columns. Partitions are
 * excluded, because their parents represent them.
 *
 * @see PostgREST, "Resource Embedding", on junctions and one-to-one keys
 */
export function deriveRelationships(tables: readonly Table[]): readonly Relationship[] {
  const speaking = tables.filter((table) => table.partitionOf === undefined)
  const known = new Map(speaking.map((table) => [table.oid, table]))
  const views = viewsByTable(speaking)
  const keys = speaking.flatMap((table) =>
    table.foreignKeys.flatMap((key) => {
      const target = known.get(key.targetOid)
      return target ? linksOf(table, key, target, views) : []
    }),
  )
  const direct = keys.flatMap((link) => [
    toRelationship(link, link.isUnique ? 'one-to-one' : 'many-to-one', true),
    toRelationship(reverse(link), link.isUnique ? 'one-to-one' : 'one-to-many', false),
  ])
  return [...direct, ...throughJunctions(keys, known)]
}

/** A foreign key between two relations, each the table or a view that substitutes it. */
interface Link extends RelationshipEnds {
  readonly constraint: string
  readonly isUnique: boolean
}

/** A relation that can substitute a table, with all its mappings of the key columns. */
interface Stand {
  readonly relation: Table
  readonly columns: readonly string[]
}

function viewsByTable(tables: readonly Table[]): ReadonlyMap<number, readonly Table[]> {
  const found = new Map<number, Table[]>()
  for (const table of tables) {
    for (const oid of new Set(table.sources.map(({ tableOid }) => tableOid))) {
      const views = found.get(oid)
      if (views) views.push(table)
      else found.set(oid, [table])
    }
  }
  return found
}

function linksOf(
  table: Table,
  key: ForeignKey,
  target: Table,
  views: ReadonlyMap<number, readonly Table[]>,
): readonly Link[] {
  const isUnique = table.uniques.some((unique) => unique.isConstraint && sameSet(unique.columns, key.columns))
  const stands = (of: Table, columns: readonly string[]): readonly Stand[] => [
    { relation: of, columns },
    ...(views.get(of.oid) ?? []).flatMap((view) =>
      waysToSay(view, of, columns).map((said) => ({ relation: view, columns: said })),
    ),
  ]
  const targets = stands(target, key.targetColumns)
  return stands(table, key.columns).flatMap((from) =>
    targets.map((to) => ({
      fromOid: from.relation.oid,
      fromSchema: from.relation.schema,
      fromTable: from.relation.name,
      fromColumns: from.columns,
      toOid: to.relation.oid,
      toSchema: to.relation.schema,
      toTable: to.relation.name,
      toColumns: to.columns,
      constraint: key.name,
      isUnique,
    })),
  )
}

/** Returns every mapping of view columns to the table's `columns`; none if one is missing. */
function waysToSay(view: Table, table: Table, columns: readonly string[]): readonly (readonly string[])[] {
  return columns.reduce<readonly (readonly string[])[]>(
    (ways, column) => {
      const said = view.sources.filter((source) => source.tableOid === table.oid && source.tableColumn === column)
      return ways.flatMap((way) => said.map((source) => [...way, source.column]))
    },
    [[]],
  )
}

function sameSet(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name) => right.includes(name))
}

function toRelationship(
  link: Link,
  kind: 'many-to-one' | 'one-to-many' | 'one-to-one',
  fromHasKey: boolean,
): Relationship {
  const { fromOid, fromSchema, fromTable, fromColumns, toOid, toSchema, toTable, toColumns, constraint } = link
  const ends = { fromOid, fromSchema, fromTable, fromColumns, toOid, toSchema, toTable, toColumns }
  return { ...ends, kind, constraint, fromHasKey }
}

function reverse(link: Link): Link {
  return {
    ...link,
    fromOid: link.toOid,
    fromSchema: link.toSchema,
    fromTable: link.toTable,
    fromColumns: link.toColumns,
    toOid: link.fromOid,
    toSchema: link.fromSchema,
    toTable: link.fromTable,
    toColumns: link.fromColumns,
  }
}

/** Derives relationships through junctions: relations whose primary key contains both foreign keys. */
function throughJunctions(links: readonly Link[], known: ReadonlyMap<number, Table>): readonly Relationship[] {
  const byJunction = new Map<number, Link[]>()
  for (const link of links) {
    const junction = known.get(link.fromOid)
    if (!junction || link.isUnique || !link.fromColumns.every((column) => keyOf(junction, known).includes(column)))
      continue
    const group = byJunction.get(link.fromOid)
    if (group) group.push(link)
    else byJunction.set(link.fromOid, [link])
  }
  return [...byJunction.values()].flatMap((group) =>
    group.flatMap((from) => group.filter((to) => to.constraint !== from.constraint).map((to) => through(from, to))),
  )
}

function through(from: Link, to: Link): Relationship {
  return {
    kind: 'many-to-many',
    fromOid: from.toOid,
    fromSchema: from.toSchema,
    fromTable: from.toTable,
    fromColumns: from.toColumns,
    toOid: to.toOid,
    toSchema: to.toSchema,
    toTable: to.toTable,
    toColumns: to.toColumns,
    junctionOid: from.fromOid,
    junctionSchema: from.fromSchema,
    junctionTable: from.fromTable,
    fromConstraint: from.constraint,
    junctionFromColumns: from.fromColumns,
    toConstraint: to.constraint,
    junctionToColumns: to.fromColumns,
  }
}

function keyOf(relation: Table, known: ReadonlyMap<number, Table>): readonly string[] {
  return relation.sources.length === 0 ? relation.primaryKey : viewKey(relation, (oid) => known.get(oid))
}

/**
 * Returns the view columns that form the primary keys of the underlying tables; the first if a key occurs repeatedly.
 *
 * @param tableByOid - looks up the underlying tables
 */
export function viewKey(view: Table, tableByOid: (oid: number) => Table | undefined): readonly string[] {
  const oids = [...new Set(view.sources.map(({ tableOid }) => tableOid))]
  return oids.flatMap((oid) => {
    const table = tableByOid(oid)
    if (!table || table.primaryKey.length === 0) return []
    return waysToSay(view, table, table.primaryKey)[0] ?? []
  })
}
