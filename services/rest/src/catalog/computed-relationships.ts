import type { Catalog } from '@holdfast/postgres'
import type { RestComputedRelationship } from './catalog.ts'

/**
 * Lists the functions that take a row of one relation and return rows of another. To-one are functions that return no set, or a set
 * declared with `rows 1`.
 *
 * @see PostgREST reference, "Computed Relationships"
 */
export function computedRelationships(catalog: Catalog): readonly RestComputedRelationship[] {
  const byRowType = new Map(catalog.tables.map((table) => [table.rowTypeOid, table]))
  return catalog.routines.flatMap(({ schema, name, kind, parameters, returns }) => {
    const [only] = parameters
    const from = only && byRowType.get(only.typeOid)
    const to = returns.tableOid === undefined ? undefined : catalog.tableByOid(returns.tableOid)
    if (kind !== 'function' || parameters.length !== 1 || !from || !to) return []
    return [
      {
        kind: 'computed',
        cardinality: returns.isSet && returns.rows !== 1 ? 'one-to-many' : 'many-to-one',
        function: { schema, name },
        from: { schema: from.schema, name: from.name },
        to: { schema: to.schema, name: to.name },
      },
    ]
  })
}
