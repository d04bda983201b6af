import type { SyncPlan, TablePlan } from '@holdfast/policy'
import type { PreviewedTable } from '@holdfast/protocol'

/** A table as the devices of a role have it. */
export interface SyncedTable {
  /** Identifies it in both plans. */
  readonly id: string
  readonly schema: string
  readonly name: string
  readonly key: readonly string[]
  /** Columns that the role may select. */
  readonly columns: readonly string[]
  /** Ids of its definitions, each of which changes with the content of its buckets. */
  readonly definitions: readonly string[]
}

/** Identifies a table by its name. */
export function idOf({ schema, name }: { readonly schema: string; readonly name: string }): string {
  return JSON.stringify([schema, name])
}

/** Returns the tables that devices of a role have, by id. */
export function tablesOfRole(plan: SyncPlan, role: string): ReadonlyMap<string, SyncedTable> {
  return new Map(plan.tables.flatMap((table) => tableOfRole(table, role)).map((table) => [table.id, table]))
}

function tableOfRole({ schema, name, key, definitions }: TablePlan, role: string): readonly SyncedTable[] {
  const own = definitions.filter(({ roles }) => roles.includes(role))
  const [first] = own
  if (!first) return []
  const { columns } = first
  return [{ id: idOf({ schema, name }), schema, name, key: key.columns, columns, definitions: own.map(({ id }) => id) }]
}

/** How much of a table devices download again because its buckets are new. */
export type Renewal = 'none' | 'some' | 'all'

/** Returns which of a table's buckets are new after a change. */
export function renewalOf(before: SyncedTable | undefined, after: SyncedTable | undefined): Renewal {
  const added = after?.definitions.filter((id) => !before?.definitions.includes(id)) ?? []
  if (added.length === 0) return 'none'
  return added.length === after?.definitions.length ? 'all' : 'some'
}

/** Returns whether a table begins or stops to sync, and why it stops. */
export function findSyncChange(before: SyncPlan, after: SyncPlan, id: string): Pick<PreviewedTable, 'sync' | 'reason'> {
  const [was, is] = [before, after].map(({ tables }) => tables.some((table) => idOf(table) === id))
  if (was === is) return { sync: is ? 'synced' : 'none' }
  if (is) return { sync: 'begins' }
  const refused = after.refused.find((table) => idOf(table) === id)
  if (!refused) return { sync: 'stops', reason: 'The table is gone, or no user may read it.' }
  const { policy, reason } = refused
  return { sync: 'stops', reason: policy === undefined ? reason : `Policy "${policy}": ${reason}` }
}

/** Whether devices get rows of a table only through declared streams, which may select fewer than policies allow. */
export function isStreamed(plan: SyncPlan, id: string): boolean {
  return plan.tables.some((table) => idOf(table) === id && table.definitions.some(({ stream }) => stream !== undefined))
}
