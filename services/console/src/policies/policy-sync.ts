import { describePlan, estimateClasses, type SyncPlan } from '@holdfast/policy'
import type { Pool } from '@holdfast/postgres'
import type { PolicySync } from '@holdfast/protocol'
import { syncReader, type ReadSyncStates } from '../tables/list-tables.ts'
import { findTable, readCatalog } from '../tables/read-table.ts'

/** Returns the served plan, or the previous one while policies are being compiled. */
export type ReadPlan = () => SyncPlan | undefined

/** Describes whether and how a table syncs, and at what cost. @throws {HoldfastError} `no_such_table` */
export async function describeSync(
  pool: Pool,
  { readSync, readPlan }: { readonly readSync: ReadSyncStates; readonly readPlan: ReadPlan },
  schema: string,
  name: string,
): Promise<PolicySync> {
  const { kind } = await readCatalog(pool, (tx) => findTable(tx, schema, name))
  const state = syncReader(readSync())(schema, name, kind)
  const plan = readPlan()
  const tables = plan?.tables.filter((one) => one.schema === schema && one.name === name) ?? []
  if (!plan || tables.length === 0) return { ...state, parts: [] }
  const own: SyncPlan = { ...plan, tables, refused: [] }
  const described = describePlan(own, await estimateClasses(pool, own)).tables.flatMap((table) =>
    table.synced ? table.definitions : [],
  )
  return {
    ...state,
    parts: described.map(({ id, policies, roles, form, classes, follows, rows, people, changes, costs }) => ({
      id,
      policies,
      roles,
      form,
      ...(classes !== undefined && { classes }),
      follows,
      rows,
      users: people,
      changes,
      costs,
    })),
  }
}
