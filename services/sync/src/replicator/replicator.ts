import { HoldfastError, backoffMs, delay, errorMessage, type Logger } from '@holdfast/foundation'
import type { SyncPlan } from '@holdfast/policy'
import type { Pool } from '@holdfast/postgres'
import {
  createSlot,
  dropSlot,
  ensurePublication,
  findSlot,
  openReplicationStream,
  releaseSlot,
  type CreatedSlot,
  type Lsn,
  type ReplicationEvent,
  type ReplicationStream,
} from '@holdfast/replication'
import { activatePlan, type ActivePlan } from '../buckets/active-plan.ts'
import type { DependencyIndex, KeyHolder } from '../buckets/dependency-index.ts'
import type { CheckpointFeed } from '../checkpoints/checkpoint-feed.ts'
import { CHUNK_OPS_MAX } from '../limits.ts'
import {
  bucketsOfDefinitions,
  deleteDefinitions,
  readDefinitions,
  readState,
  resetState,
  writePosition,
  type ReplicatorState,
  type StoredDefinition,
} from '../storage/bucket-storage.ts'
import { applyChanges, createRouters, type Routers, type RowChange } from './apply-changes.ts'
import { fillDefinitions } from './fill-definitions.ts'
import { createLogWriter, type LogWriter } from './log-writer.ts'

const PUBLICATION = 'holdfast'
const SLOT = 'holdfast'

/** Prefix of the message that the catalog's event trigger writes into a transaction that changed the schema. */
export const DDL_PREFIX = 'holdfast:ddl'

export interface ReplicatorOptions {
  /** Superuser pool and connection string: reads tables past the policies, writes schema `sync`. */
  readonly pool: Pool
  readonly url: string
  readonly feed: CheckpointFeed
  readonly dependencies: DependencyIndex
  /** Compiles the policies as they are now. */
  readonly compile: () => Promise<SyncPlan>
  /** Prepares the database for a plan's key queries (functions that run with their owner's rights). */
  readonly prepare: (plan: SyncPlan) => Promise<void>
  readonly onPlan: (plan: SyncPlan) => void
  readonly logger: Logger
}

export interface Replicator extends AsyncDisposable {
  /** Resolves when the log holds a complete first state. */
  readonly ready: Promise<void>
  /** The plan that is being served; `undefined` while there is none, or it is being replaced. */
  plan(): ActivePlan | undefined
  /** Why the last attempt failed, while it is being repaired. */
  readonly problem: string | undefined
}

/** Reads the change stream and keeps the log equal to the tables, for as long as the process lives. */
export function startReplicator(options: ReplicatorOptions): Replicator {
  const { logger } = options
  const stopping = new AbortController()
  const ready = Promise.withResolvers<void>()
  ready.promise.catch(() => undefined) // whoever waits for it sees the rejection; nobody has to
  let active: ActivePlan | undefined
  let problem: string | undefined
  let stream: ReplicationStream | undefined

  async function run(): Promise<void> {
    for (let attempt = 0; !stopping.signal.aborted; attempt++) {
      const started = Date.now()
      try {
        await runOnce(options, {
          signal: stopping.signal,
          setActive: (next) => {
            active = next
            if (!next) return
            for (const holder of options.dependencies.everybody()) holder.wake()
          },
          setStream: (next) => (stream = next),
          onServing: () => {
            problem = undefined
            ready.resolve()
          },
        })
      } catch (error) {
        if (stopping.signal.aborted) break
        problem = errorMessage(error)
        const code = error instanceof HoldfastError ? error.code : undefined
        const isFatal = code === 'replication_slot_lost' || code === 'replication_slot_missing'
        logger.log('warn', 'the change reader is being repaired', {
          code,
          reason: problem,
          cause: errorMessage((error as Error).cause ?? ''),
        })
        if (Date.now() - started > 30_000) attempt = 0
        if (!isFatal) await delay(backoffMs(attempt, 50, 2_000), stopping.signal).catch(() => undefined) // stopping ends the loop
      } finally {
        await closeQuietly(stream)
        stream = undefined
      }
    }
    ready.reject(new HoldfastError('sync_stopped', 503, 'Sync was stopped before it was ready'))
  }

  const running = run()
  return {
    ready: ready.promise,
    plan: () => active,
    get problem() {
      return problem
    },
    async [Symbol.asyncDispose]() {
      stopping.abort(new HoldfastError('sync_stopped', 503, 'Sync is stopping'))
      await closeQuietly(stream)
      await running
    },
  }
}

/** A stream that is broken already is closed enough. */
async function closeQuietly(stream: ReplicationStream | undefined): Promise<void> {
  try {
    await stream?.[Symbol.asyncDispose]()
  } catch (error) {
    if (!(error instanceof Error)) throw error
  }
}

interface RunControl {
  readonly signal: AbortSignal
  setActive(active: ActivePlan | undefined): void
  setStream(stream: ReplicationStream): void
  onServing(): void
}

async function runOnce(options: ReplicatorOptions, control: RunControl): Promise<void> {
  const { pool, feed, logger } = options
  control.setActive(undefined)
  const plan = await compilePlan(options)
  const state = await prepareState(options)
  const writer = createLogWriter(pool, feed, state.state)
  let stored = state.slot ? [] : await readDefinitions(pool)
  stored = await fillMissing(options, writer, plan, stored, state.slot)
  if (state.slot) {
    // The slot's own snapshot: from here on the stream continues.
    await writePosition(pool, { ...writer.position, confirmedLsn: state.slot.consistentPoint })
    await state.slot[Symbol.asyncDispose]()
  }
  const startLsn = state.slot?.consistentPoint ?? state.state.confirmedLsn
  await releaseSlot(pool, SLOT)
  const stream = await openReplicationStream({
    url: options.url,
    slot: SLOT,
    publication: PUBLICATION,
    startLsn,
    logger,
  })
  control.setStream(stream)
  control.signal.throwIfAborted()

  let active = activatePlan(plan, stored)
  feed.reset(writer.lastOpId, startLsn ?? (0n as Lsn))
  control.setActive(active)
  options.onPlan(plan)
  control.onServing()

  const reader = createChangeReader(options, writer, stream, active)
  try {
    for await (const batch of stream.batches) {
      let rest: readonly ReplicationEvent[] = batch
      while (rest.length > 0) {
        rest = await reader.read(rest)
        if (!reader.schemaChanged) continue
        // The transactions up to the change are applied. Nothing leaves under the old policies from here on.
        control.setActive(undefined)
        const next = await compilePlan(options)
        if (next.version !== active.plan.version) {
          stored = await fillMissing(options, writer, next, stored, undefined)
          active = activatePlan(next, stored)
          feed.publish({
            fromOpId: feed.opId,
            toOpId: writer.lastOpId,
            endLsn: feed.position,
            taken: undefined,
            deltas: new Map(),
            cleared: new Set(),
            fresh: new Map(),
          })
          reader.use(active)
          options.onPlan(next)
          logger.log('info', 'policies were compiled anew', {
            tables: next.tables.length,
            refused: next.refused.length,
          })
        }
        control.setActive(active)
      }
    }
  } finally {
    await writer.abandon()
  }
}

async function compilePlan(options: ReplicatorOptions): Promise<SyncPlan> {
  const plan = await options.compile()
  await options.prepare(plan)
  const { refused } = await ensurePublication(options.pool, { name: PUBLICATION, tables: plan.published })
  for (const table of refused) options.logger.log('warn', 'a table cannot be followed', { ...table })
  return plan
}

/** The state to continue from; with a new slot when there is nothing to continue. */
async function prepareState(
  options: ReplicatorOptions,
): Promise<{ readonly state: ReplicatorState; readonly slot: CreatedSlot | undefined }> {
  const { pool, logger } = options
  const state = await readState(pool)
  const slot = await findSlot(pool, SLOT)
  const isUsable = slot !== undefined && slot.walStatus !== 'lost' && slot.invalidationReason === undefined
  if (state?.confirmedLsn !== undefined && isUsable) return { state, slot: undefined }
  if (state?.confirmedLsn !== undefined) {
    logger.log('warn', 'the replication slot is gone: all tables are read again', {
      reason: slot?.invalidationReason ?? slot?.walStatus ?? 'missing',
    })
  }
  await dropSlot(pool, SLOT)
  await resetState(pool, SLOT)
  const old = await readDefinitions(pool)
  await deleteDefinitions(
    pool,
    old.map((definition) => definition.number),
  )
  const fresh = await readState(pool)
  const created = await createSlot({ url: options.url, name: SLOT })
  return {
    state: fresh ?? { slotName: SLOT, confirmedLsn: undefined, lastOpId: 0, lastBucketId: 0 },
    slot: created,
  }
}

/** Makes the buckets that a plan needs and that do not exist yet, and deletes those that nobody needs any more. */
async function fillMissing(
  options: ReplicatorOptions,
  writer: LogWriter,
  plan: SyncPlan,
  stored: readonly StoredDefinition[],
  ownSlot: CreatedSlot | undefined,
): Promise<StoredDefinition[]> {
  const wanted = new Set(plan.tables.flatMap((table) => table.definitions.map((definition) => definition.id)))
  const kept = stored.filter((definition) => wanted.has(definition.id))
  const missing = new Set([...wanted].filter((id) => !kept.some((definition) => definition.id === id)))
  let added: StoredDefinition[] = []
  if (missing.size > 0) {
    const slot =
      ownSlot ??
      (await createSlot({ url: options.url, name: `holdfast_fill_${process.pid}_${Date.now()}`, temporary: true }))
    try {
      added = await fillDefinitions({
        pool: options.pool,
        url: options.url,
        plan,
        definitionIds: missing,
        slot,
        ids: writer.ids,
        nextOpId: () => writer.nextOpId(),
        lastOpId: () => writer.lastOpId,
        logger: options.logger,
      })
    } finally {
      if (!ownSlot) await slot[Symbol.asyncDispose]()
    }
  }
  const dropped = stored.filter((definition) => !wanted.has(definition.id))
  await deleteDefinitions(
    options.pool,
    dropped.map((definition) => definition.number),
  )
  writer.ids.forgetAll()
  return [...kept, ...added]
}

interface ChangeReader {
  /** Applies events. Stops after a transaction that changed the schema. @returns the events that are left */
  read(events: readonly ReplicationEvent[]): Promise<readonly ReplicationEvent[]>
  /** Whether the last transaction changed the schema; reading it resets it. */
  readonly schemaChanged: boolean
  use(active: ActivePlan): void
}

function createChangeReader(
  options: ReplicatorOptions,
  writer: LogWriter,
  stream: ReplicationStream,
  first: ActivePlan,
): ChangeReader {
  const { dependencies, feed } = options
  let active = first
  let routers: Routers = createRouters(active)
  let changes: RowChange[] = []
  let inside: { readonly xid: number; readonly commitLsn: Lsn } | undefined
  /** Where the changes of the open transaction begin, as long as none of them has been handed on. */
  let openFrom: number | undefined
  let pendingDdl = false
  let schemaChanged = false
  let affected = new Map<KeyHolder, Set<number>>()

  async function flushChanges(): Promise<void> {
    if (changes.length === 0) return
    const taken = changes
    changes = []
    await applyChanges(writer.db, routers, writer.ids, writer.pending, taken)
  }

  function affect(holders: Iterable<KeyHolder>, xid: number): void {
    for (const holder of holders) {
      const xids = affected.get(holder)
      if (xids) xids.add(xid)
      else affected.set(holder, new Set([xid]))
    }
  }

  function tellHolders(): void {
    const told = affected
    affected = new Map()
    for (const [holder, xids] of told) for (const xid of xids) holder.keysChanged(xid)
  }

  async function addChange(event: ReplicationEvent & { readonly kind: 'insert' | 'update' | 'delete' }): Promise<void> {
    if (!inside) return
    const { relation } = event
    const old = event.kind === 'insert' ? undefined : event.old
    const row = event.kind === 'delete' ? undefined : event.row
    const planned = active.dependencies.get(relation.oid)
    if (planned) {
      const holders = new Set<KeyHolder>()
      dependencies.collect(planned, relation, old, row, holders)
      affect(holders, inside.xid)
    }
    if (!active.tables.has(relation.oid)) return
    changes.push({ relation, old, row, commitLsn: inside.commitLsn })
    if (changes.length < CHUNK_OPS_MAX) return
    openFrom = undefined
    await flushChanges()
    await writer.spill()
  }

  async function truncate(oids: readonly number[]): Promise<void> {
    if (!inside) return
    await flushChanges()
    const { xid, commitLsn } = inside
    const numbers = oids.flatMap((oid) =>
      (active.tables.get(oid)?.definitions ?? [])
        .filter(({ stored }) => commitLsn >= stored.activeFrom)
        .map(({ stored }) => stored.number),
    )
    openFrom = undefined
    for (const bucket of await bucketsOfDefinitions(writer.db, numbers)) writer.pending.clear(bucket.id)
    for (const id of writer.ids.newOnesOf(new Set(numbers))) writer.pending.clear(id)
    if (oids.some((oid) => active.dependencies.has(oid))) affect(dependencies.everybody(), xid)
  }

  async function completeBatch(endLsn: Lsn): Promise<void> {
    await flushChanges()
    await writer.complete(endLsn, tellHolders)
    stream.confirm(endLsn)
  }

  /** The reader has come further without anything for us: told to Postgres, but not written down, which would move it again. */
  function progress(lsn: Lsn): void {
    if (lsn <= feed.position) return
    feed.advance(lsn)
    stream.confirm(lsn)
  }

  return {
    get schemaChanged() {
      const changed = schemaChanged
      schemaChanged = false
      return changed
    },
    use(next) {
      active = next
      routers = createRouters(next)
    },
    async read(events) {
      let end: Lsn | undefined
      let sawDdl = false
      for (let index = 0; index < events.length; index++) {
        const event = events[index] as ReplicationEvent
        switch (event.kind) {
          case 'begin':
            inside = event
            openFrom = changes.length
            break
          case 'insert':
          case 'update':
          case 'delete':
            await addChange(event)
            break
          case 'truncate':
            await truncate(event.relations.map((relation) => relation.oid))
            break
          case 'message':
            if (event.prefix === DDL_PREFIX) pendingDdl = true
            break
          case 'commit':
            inside = undefined
            end = event.endLsn
            sawDdl = pendingDdl
            pendingDdl = false
            break
          case 'progress':
            if (end === undefined && !inside && changes.length === 0) progress(event.lsn)
            else if (end !== undefined && !inside) end = event.lsn > end ? event.lsn : end
            break
        }
        if (!sawDdl) continue
        await completeBatch(end as Lsn)
        schemaChanged = true
        return events.slice(index + 1)
      }
      if (end === undefined) return []
      if (!inside) await completeBatch(end)
      else if (openFrom !== undefined) {
        // The last transaction is still arriving: those before it need not wait for it.
        const open = changes.splice(openFrom)
        await completeBatch(end)
        changes = open
        openFrom = 0
      }
      return []
    },
  }
}
