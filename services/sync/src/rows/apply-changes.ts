import type { Queryable } from '@holdfast/postgres'
import type { Lsn, Relation, Tuple } from '@holdfast/replication'
import type { ActiveDefinition, ActivePlan } from '../buckets/active-plan.ts'
import { noteClasses, type NewClass } from '../buckets/class-origins.ts'
import { rowKey } from '../encode/op-doc.ts'
import type { RowEncoder } from '../encode/row-json.ts'
import type { BucketIds } from '../storage/bucket-ids.ts'
import { heldKey, readHeldRows, type PendingMoments } from '../storage/moments.ts'
import type { PendingOps } from '../storage/pending-ops.ts'
import type { RowEvaluator } from './row-evaluator.ts'
import { createTableRouter, type Evaluated, type TableRouter } from './table-router.ts'

/** A row change to be routed to buckets. `old`/`row`: absent for INSERT/DELETE. */
export interface RowChange {
  readonly relation: Relation
  readonly old: Tuple | undefined
  readonly row: Tuple | undefined
  readonly commitLsn: Lsn
  /** Whether the row was read by a backfill. A change may have put it into its buckets already. */
  readonly isRead?: boolean
  /** Author of a change; `null` if not through the API. */
  readonly author?: string | null
}

/** Returns the change of an unchanged row for which a policy that reads the clock may now decide differently. */
export function dueChange(relation: Relation, row: Tuple, commitLsn: Lsn): RowChange {
  return { relation, old: row, row, commitLsn }
}

interface RelationRouter {
  readonly columnNames: readonly string[]
  readonly router: TableRouter
}

/** Routers of a plan's tables, created when a relation first appears. */
export type Routers = (relation: Relation) => RelationRouter | undefined

export function createRouters(active: ActivePlan): Routers {
  const known = new Map<Relation, RelationRouter | undefined>()
  return (relation) => {
    if (known.has(relation)) return known.get(relation)
    const planned = active.tables.get(relation.oid)
    const columnNames = relation.columns.map((column) => column.name)
    const found =
      planned && planned.definitions.length > 0
        ? { columnNames, router: createTableRouter(planned.table, planned.definitions, columnNames) }
        : undefined
    known.set(relation, found)
    return found
  }
}

interface Routed {
  readonly change: RowChange
  readonly router: TableRouter
  /** Bucket names per definition, before and after. */
  readonly before: readonly (readonly string[])[]
  readonly after: readonly (readonly string[])[]
  /** For definitions that read the clock: the buckets that may contain the row. Empty if there are no such definitions. */
  readonly clocked: readonly (readonly string[] | undefined)[]
  /** Results for the row after the change. */
  readonly evaluated: Evaluated
}

const NO_BUCKETS: readonly string[] = []
const NONE: readonly (readonly string[])[] = []
const NOTHING: Evaluated = []

export interface ApplyContext {
  /** For bucket ids; in the batch's transaction if one is open. */
  readonly db: Queryable
  readonly evaluator: RowEvaluator
  readonly routers: Routers
  readonly ids: BucketIds
  readonly pending: PendingOps
  /** For operations that are written but not committed yet. */
  readonly batchDb: Queryable
  readonly moments: PendingMoments
}

/** Converts row changes to operations: PUT into each bucket that now contains the row, REMOVE from each that it has left. */
export async function applyChanges(context: ApplyContext, changes: readonly RowChange[]): Promise<void> {
  const { db, ids, pending, moments } = context
  const routed = await routeChanges(context, changes)
  const names = new Map<string, number>()
  for (const { router, before, after, clocked } of routed) {
    for (let index = 0; index < router.definitions.length; index++) {
      const { stored } = router.definitions[index] as ActiveDefinition
      for (const name of before[index] ?? NO_BUCKETS) names.set(name, stored.number)
      for (const name of after[index] ?? NO_BUCKETS) names.set(name, stored.number)
      for (const name of clocked[index] ?? NO_BUCKETS) names.set(name, stored.number)
    }
  }
  await addClasses(db, routed)
  await ids.resolve(db, names)
  const held = await readHeld(context, routed)
  for (const entry of routed) {
    addOps(held ? asHeld(entry, held, ids, pending) : entry, ids, pending)
    noteMoments(entry, moments)
  }
}

/**
 * Reads from the log which rows are in buckets of definitions that read the clock, because an earlier evaluation cannot be repeated. Returns `undefined` if
 * there are no such definitions.
 */
async function readHeld(
  { batchDb, ids }: ApplyContext,
  routed: readonly Routed[],
): Promise<ReadonlySet<string> | undefined> {
  const asked: { bucketId: number; rowKey: Buffer }[] = []
  for (const { router, clocked, change } of routed) {
    for (const names of clocked) {
      const row = change.old ?? change.row
      if (names && row)
        for (const name of names) asked.push({ bucketId: ids.id(name), rowKey: rowKey(router.objectId(row)) })
    }
  }
  if (asked.length > 0) return readHeldRows(batchDb, asked)
  return routed.some(({ clocked }) => clocked.length > 0) ? new Set() : undefined
}

/** Sets `before` to the buckets that contain the row in the log or in pending operations. */
function asHeld(entry: Routed, held: ReadonlySet<string>, ids: BucketIds, pending: PendingOps): Routed {
  const { router, change, clocked, before } = entry
  const row = change.old ?? change.row
  if (clocked.length === 0 || !row) return entry
  const objectId = router.objectId(row)
  const key = rowKey(objectId)
  const isHeld = (name: string): boolean =>
    pending.holds(ids.id(name), objectId) ?? held.has(heldKey(ids.id(name), key))
  return {
    ...entry,
    before: router.definitions.map((_, index) => clocked[index]?.filter(isHeld) ?? before[index] ?? NO_BUCKETS),
  }
}

function noteMoments({ router, change, clocked, evaluated }: Routed, moments: PendingMoments): void {
  if (clocked.length === 0) return
  const { old, row, commitLsn } = change
  const oldId = old && router.objectId(old)
  const id = row && router.objectId(row)
  router.definitions.forEach(({ stored }, index) => {
    if (!clocked[index] || commitLsn < stored.activeFrom) return
    if (old && oldId !== undefined && oldId !== id) moments.set(stored.number, oldId, router.key(old), null)
    if (row && id !== undefined) moments.set(stored.number, id, router.key(row), router.next(index, evaluated))
  })
}

/** Adds new access classes before their rows become visible. */
async function addClasses(db: Queryable, routed: readonly Routed[]): Promise<void> {
  const added: NewClass[] = []
  for (const { change, router, after, evaluated } of routed) {
    if (!router.hasClasses) continue
    router.definitions.forEach(({ stored, classes }, index) => {
      const [name] = after[index] ?? NO_BUCKETS
      if (!classes || name === undefined || !change.row || classes.has(name)) return
      const key = router.classKey(index, change.row, evaluated)
      added.push({ definition: stored.number, classes, name, key, author: change.author })
    })
  }
  await noteClasses(db, added)
}

async function routeChanges({ evaluator, routers }: ApplyContext, changes: readonly RowChange[]): Promise<Routed[]> {
  const olds = new Set<Tuple>()
  const byRelation = new Map<RelationRouter, Tuple[]>()
  for (const { relation, old, row } of changes) {
    const found = routers(relation)
    if (!found || found.router.expressions.length === 0) continue
    const tuples = byRelation.get(found) ?? []
    if (old) {
      tuples.push(old)
      olds.add(old)
    }
    if (row && row !== old) tuples.push(row)
    byRelation.set(found, tuples)
  }
  const evaluated = new Map<Tuple, Evaluated>()
  for (const [{ router, columnNames }, tuples] of byRelation) {
    const results = await evaluator.evaluate(router, columnNames, tuples, olds)
    tuples.forEach((tuple, index) => evaluated.set(tuple, results[index] ?? []))
  }

  const routed: Routed[] = []
  for (const change of changes) {
    const found = routers(change.relation)
    if (!found) continue
    const { router } = found
    routed.push({
      change,
      router,
      before: change.old ? bucketsOf(router, change, change.old, evaluated.get(change.old) ?? NOTHING) : NONE,
      after: change.row ? bucketsOf(router, change, change.row, evaluated.get(change.row) ?? NOTHING) : NONE,
      clocked: clockedOf(router, change, evaluated),
      evaluated: (change.row && evaluated.get(change.row)) ?? NOTHING,
    })
  }
  return routed
}

/** Returns candidates for definitions that read the clock. A row read by a backfill may already be in a bucket, added by a change at another moment. */
function clockedOf(
  router: TableRouter,
  { old, row, isRead, commitLsn }: RowChange,
  evaluated: ReadonlyMap<Tuple, Evaluated>,
): readonly (readonly string[] | undefined)[] {
  if (!router.hasClock) return NONE
  const before = old ?? (isRead ? row : undefined)
  return router.definitions.map(({ stored }, index) => {
    const known = before ?? row
    const names = known && router.candidates(index, known, evaluated.get(known) ?? NOTHING)
    if (!names) return undefined
    return before === undefined || commitLsn < stored.activeFrom ? NO_BUCKETS : names
  })
}

function bucketsOf(
  router: TableRouter,
  { commitLsn }: RowChange,
  tuple: Tuple,
  evaluated: Evaluated,
): readonly (readonly string[])[] {
  return router.definitions.map(({ stored }, index) =>
    commitLsn < stored.activeFrom ? NO_BUCKETS : router.buckets(index, tuple, evaluated),
  )
}

function addOps({ change, router, before, after }: Routed, ids: BucketIds, pending: PendingOps): void {
  const { old, row } = change
  const { localName } = router.table
  const newId = row && router.objectId(row)
  const oldId = old ? router.objectId(old) : change.isRead ? newId : undefined
  const keepsId = oldId === newId
  const cache = router.definitions.length > 1 ? new Map<RowEncoder, string>() : undefined
  for (let index = 0; index < router.definitions.length; index++) {
    const from = before[index] ?? NO_BUCKETS
    const to = after[index] ?? NO_BUCKETS
    const isUnfilled = router.definitions[index]?.isUnfilled === true
    for (const name of from) {
      if (oldId !== undefined && !(keepsId && to.includes(name))) pending.remove(ids.id(name), localName, oldId)
    }
    if (newId === undefined || row === undefined) continue
    for (const name of to) {
      const stays = keepsId && from.includes(name)
      // Devices see no difference. A row of an unfilled definition may not be in the bucket yet, and the backfill omits changed rows.
      if (stays && old && !isUnfilled && router.looksEqual(index, old, row)) continue
      pending.put(ids.id(name), localName, newId, router.json(index, row, cache), !stays && !change.isRead)
    }
  }
}
