import type { PolicyCatalog } from '../catalog/policy-catalog.ts'
import type { RefusedTable, StreamPlan, TablePlan } from '../plan.ts'
import type { StreamQueries } from './stream-queries.ts'

/** Plans the declared streams: the tables of each, and refused queries. */
export function planStreams(
  { byTable, refused, parameters }: StreamQueries,
  tables: readonly TablePlan[],
  refusedTables: readonly RefusedTable[],
  catalog: PolicyCatalog,
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
