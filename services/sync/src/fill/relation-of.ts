import type { TablePlan } from '@holdfast/policy'
import type { Relation } from '@holdfast/replication'

const relations = new WeakMap<TablePlan, Relation>()

/** Returns the relation of rows read from a table, as the stream would announce it. */
export function relationOf(table: TablePlan): Relation {
  let relation = relations.get(table)
  if (!relation) {
    const columns = table.columns.map(({ name, typeOid }) => ({
      name,
      typeOid,
      isKey: table.key.columns.includes(name),
    }))
    relation = { oid: table.oid, schema: table.schema, name: table.name, columns }
    relations.set(table, relation)
  }
  return relation
}
