import type { SyncPlan } from '@holdfast/policy'
import type { Pool } from '@holdfast/postgres'
import type { Lsn } from '@holdfast/replication'
import { readDefinitions, readShapes, VOID, type StoredDefinition } from '../storage/bucket-storage.ts'
import { contentOf, onlyAddsColumns } from '../storage/definition-content.ts'
import { invalidateRenamedLabels } from '../storage/enum-labels.ts'
import { insertUnfilled, readUnfilled } from '../storage/fills.ts'
import { findFallbacks, type FallbackDefinition } from './fallback-definitions.ts'

export interface SettledDefinitions {
  /** The stored definitions of the plan. */
  readonly kept: readonly StoredDefinition[]
  /** Incomplete definitions by number, with the key of the last row in the log. */
  readonly unfilled: Map<number, readonly string[] | null>
  readonly fallbacks: readonly FallbackDefinition[]
  /** Stored definitions that are no longer needed. */
  readonly superseded: readonly StoredDefinition[]
}

/** Finds the stored definitions of a plan and creates missing ones. */
export async function settleDefinitions(
  pool: Pool,
  next: SyncPlan,
  position: Lsn,
  isTypeAltered: boolean,
): Promise<SettledDefinitions> {
  await invalidateRenamedLabels(pool, isTypeAltered)
  const existing = await readDefinitions(pool)
  const unfilled = await readUnfilled(pool)
  const shapes = await readShapes(
    pool,
    next.tables.map((table) => table.oid),
  )
  const wanted = new Map(
    next.tables.flatMap((table) => table.definitions.map((definition) => [definition.id, { table, definition }])),
  )
  // A new column that no device gets through this definition does not affect it.
  const isUsable = (one: StoredDefinition): boolean => {
    const oid = wanted.get(one.id)?.table.oid
    return oid !== undefined && onlyAddsColumns(one.shape, shapes.get(oid))
  }
  const found = [...new Map(existing.filter(isUsable).map((one) => [one.id, one])).values()]
  const missing = [...wanted].filter(([id]) => !found.some((one) => one.id === id))
  const created = await insertUnfilled(
    pool,
    missing.map(([id, { table, definition }]) => ({
      id,
      shape: shapes.get(table.oid) ?? VOID, // dropped meanwhile
      content: contentOf(table, definition),
    })),
    position,
  )
  for (const { number } of created) unfilled.set(number, null)
  const kept = [...found, ...created]
  const others = existing.filter((one) => !kept.includes(one))
  const candidates = others.filter(({ id, number }) => !unfilled.has(number) && !wanted.has(id))
  for (const number of unfilled.keys()) if (!kept.some((one) => one.number === number)) unfilled.delete(number)
  const incomplete = new Set(kept.filter(({ number }) => unfilled.has(number)).map(({ id }) => id))
  const fallbacks = findFallbacks({ candidates, next, incomplete, shapes })
  const superseded = others.filter((one) => !fallbacks.some(({ stored }) => stored.number === one.number))
  return { kept, unfilled, fallbacks, superseded }
}
