import type { ForeignKey, Relationship, RelationshipEnds, Table } from './catalog.ts'

/**
 * Derives from the foreign keys every way to get from one table to another. Partitions are left out: their parents speak for them.
 *
 * @see PostgREST, "Resource Embedding", for which tables count as a junction
 */
export function deriveRelationships(tables: readonly Table[]): readonly Relationship[] {
  const speaking = tables.filter((table) => table.partitionOf === undefined)
  const known = new Map(speaking.map((table) => [table.oid, table]))
  const direct = speaking.flatMap((table) =>
    table.foreignKeys.filter((key) => known.has(key.targetOid)).flatMap((key) => bothDirections(table, key)),
  )
  return [...direct, ...speaking.flatMap((table) => throughJunction(table, known))]
}

function bothDirections(table: Table, key: ForeignKey): readonly Relationship[] {
  const isUnique = table.uniques.some((unique) => unique.columns.every((column) => key.columns.includes(column)))
  const ends: RelationshipEnds = {
    fromOid: table.oid,
    fromSchema: table.schema,
    fromTable: table.name,
    fromColumns: key.columns,
    toOid: key.targetOid,
    toSchema: key.targetSchema,
    toTable: key.targetTable,
    toColumns: key.targetColumns,
  }
  return [
    { ...ends, kind: isUnique ? 'one-to-one' : 'many-to-one', constraint: key.name, fromHasKey: true },
    { ...reverse(ends), kind: isUnique ? 'one-to-one' : 'one-to-many', constraint: key.name, fromHasKey: false },
  ]
}

function reverse(ends: RelationshipEnds): RelationshipEnds {
  return {
    fromOid: ends.toOid,
    fromSchema: ends.toSchema,
    fromTable: ends.toTable,
    fromColumns: ends.toColumns,
    toOid: ends.fromOid,
    toSchema: ends.fromSchema,
    toTable: ends.fromTable,
    toColumns: ends.fromColumns,
  }
}

/** A table links two others when both foreign keys are part of its primary key. */
function throughJunction(junction: Table, known: ReadonlyMap<number, Table>): readonly Relationship[] {
  const inKey = junction.foreignKeys.filter(
    (key) => known.has(key.targetOid) && key.columns.every((column) => junction.primaryKey.includes(column)),
  )
  return inKey.flatMap((from) =>
    inKey
      .filter((to) => to.name !== from.name)
      .map((to): Relationship => ({
        kind: 'many-to-many',
        fromOid: from.targetOid,
        fromSchema: from.targetSchema,
        fromTable: from.targetTable,
        fromColumns: from.targetColumns,
        toOid: to.targetOid,
        toSchema: to.targetSchema,
        toTable: to.targetTable,
        toColumns: to.targetColumns,
        junctionOid: junction.oid,
        junctionSchema: junction.schema,
        junctionTable: junction.name,
        fromConstraint: from.name,
        junctionFromColumns: from.columns,
        toConstraint: to.name,
        junctionToColumns: to.columns,
      })),
  )
}
