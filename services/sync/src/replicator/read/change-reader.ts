import type { Logger } from '@holdfast/foundation'
import { AUTHOR_PREFIX, type Pool } from '@holdfast/postgres'
import type { Lsn, Relation, ReplicationEvent, ReplicationStream } from '@holdfast/replication'
import { fullClassLists } from '../../buckets/access-classes.ts'
import type { ActivePlan } from '../../buckets/active-plan.ts'
import type { DependencyIndex, KeyHolder } from '../../buckets/dependency-index.ts'
import type { CheckpointFeed } from '../../checkpoints/checkpoint-feed.ts'
import { BARRIER_PREFIX, FOLLOWER_WAITS } from '../../checkpoints/wal-barrier.ts'
import type { NotePublisher } from '../../followers/note-publisher.ts'
import { FILL_PREFIX, type BackgroundFill } from '../../fill/background-fill.ts'
import { CHUNK_OPS_MAX, FLOOD_STREAMS_MAX } from '../../limits.ts'
import { applyChanges, createRouters, type RowChange, type Routers } from '../../rows/apply-changes.ts'
import type { RowEvaluator } from '../../rows/row-evaluator.ts'
import { bucketsOfDefinitions, invalidateDefinitions } from '../../storage/bucket-storage.ts'
import { ClassNotices } from './class-notices.ts'
import { DUE_PREFIX, type DueRows } from './due-rows.ts'
import { BEAT_PREFIX, type Heartbeat } from '../setup/heartbeat.ts'
import type { LogWriter } from '../log/log-writer.ts'
import { MissingColumns } from './missing-columns.ts'
import type { ReaderProgress } from './reader-progress.ts'
import { SchemaBarrier, type Followed, type SchemaChanges } from './schema-barrier.ts'
import { TransactionBuffer, type OpenTransaction } from './transaction-buffer.ts'

/** Backfilled rows per routing call. */
const FILL_ROWS = 1_000

/**
 * Rows of one transaction per routing call: few enough that the garbage collector does not have to copy intermediate objects. Tables whose expressions Postgres
 * evaluates use {@link CHUNK_OPS_MAX} instead.
 */
const ROUTED_ROWS = 1_000

export interface ChangeReaderOptions {
  readonly pool: Pool
  readonly evaluator: RowEvaluator
  readonly feed: CheckpointFeed
  readonly dependencies: DependencyIndex
  readonly writer: LogWriter
  /** Receives the positions that the log has reached. */
  readonly stream: Pick<ReplicationStream, 'confirm'>
  readonly active: ActivePlan
  /** Observes all changes and provides backfilled rows at their position in the stream. */
  readonly fill: BackgroundFill
  /** Observes all changes and provides due rows at their position in the stream. */
  readonly dueRows: DueRows
  /** Called before a transaction that changed the schema becomes visible to devices. */
  readonly stopServing: () => void
  /** Maximum gap in ms between schema changes of one series. */
  readonly changesInARowMs: number
  readonly heartbeat: Heartbeat
  /** Whether the plan in use was compiled after a transaction. */
  readonly sawChange: (xid: number) => boolean
  /** Called after a transaction with a schema change that affects no device. */
  readonly onQuietChange: () => void
  /** Called after a transaction with a schema change that may add a table to devices. */
  readonly onApartChange: () => void
  /** Called when changes of a table are known to be missing. The table is read again. */
  readonly onUnpublished: () => void
  readonly progress: ReaderProgress
  readonly notes: Pick<NotePublisher, 'draft'>
  /** Called when a user changed a row that determines the buckets of a stream's user. */
  readonly onConcerned: (holder: KeyHolder, author: string) => void
  readonly logger: Logger
}

type RowEvent = ReplicationEvent & { readonly kind: 'insert' | 'update' | 'delete' }
type MessageEvent = ReplicationEvent & { readonly kind: 'message' }

/** Messages of the open transaction. Their rows are logged after it. */
interface RowMessages {
  readonly fill?: string
  readonly due?: string
}

/** Converts stream events to batches of the log. */
export class ChangeReader {
  readonly #options: ChangeReaderOptions
  readonly #buffer = new TransactionBuffer()
  readonly #barrier: SchemaBarrier
  readonly #notices: ClassNotices
  #active: ActivePlan
  #followed: Followed
  #routers: Routers
  #missing: MissingColumns
  #messages: RowMessages = {}
  #hasNewClasses = false
  /** Whether a follower waits for the next batch's position. */
  #isAwaited = false
  /** End of the last complete transaction in the current events; not logged yet. */
  #end: Lsn | undefined

  constructor(options: ChangeReaderOptions) {
    this.#options = options
    this.#barrier = new SchemaBarrier(options.changesInARowMs)
    this.#notices = new ClassNotices(options.logger)
    this.#active = options.active
    this.#followed = followedBy(options.active)
    this.#routers = createRouters(options.active)
    this.#missing = new MissingColumns(options.active, options.fill.chunks)
    this.#watchClasses()
  }

  /** Returns the schema changes since the last call, all of which precede the next events; `undefined` if there are none. */
  takeSchemaChanges(): SchemaChanges | undefined {
    return this.#barrier.takeChanges()
  }

  use(active: ActivePlan): void {
    this.#active = active
    this.#followed = followedBy(active)
    this.#routers = createRouters(active)
    this.#missing = new MissingColumns(active, this.#options.fill.chunks)
    this.#watchClasses()
    this.#options.dueRows.use(active)
  }

  /** Whether access classes are left out and can be counted, because no transaction is in progress. */
  leavesOutClasses(): boolean {
    return !this.#buffer.open && this.#buffer.size === 0 && fullClassLists(this.#active).length > 0
  }

  /** Applies events up to and including a transaction that changed the schema. @returns the remaining events */
  async read(events: readonly ReplicationEvent[]): Promise<readonly ReplicationEvent[]> {
    this.#options.heartbeat.heard()
    this.#end = undefined
    for (let index = 0; index < events.length; index++) {
      const stops = await this.#readEvent(events[index] as ReplicationEvent)
      if (!stops) continue
      await this.#invalidateRewritten()
      await this.#completeBatch(this.#end as unknown as Lsn, true, this.#buffer.take())
      return events.slice(index + 1)
    }
    await this.#completeWhole()
    return []
  }

  /** @returns whether to stop here because the schema changed */
  async #readEvent(event: ReplicationEvent): Promise<boolean> {
    switch (event.kind) {
      case 'begin':
        this.#buffer.begin(event)
        this.#barrier.begin(event.committedAtMs)
        this.#options.progress.began(event.committedAtMs)
        return false
      case 'insert':
      case 'update':
      case 'delete':
        await this.#addChange(event)
        return false
      case 'truncate':
        await this.#truncate(event.relations.map((relation) => relation.oid))
        return false
      case 'incomplete':
        this.#readIncomplete(event.relation)
        return false
      case 'message':
        this.#readMessage(event)
        return false
      case 'commit':
        return await this.#commit(event.endLsn)
      case 'progress':
        this.#passed(event.lsn)
        return false
    }
  }

  /** Another session removed a table's full replica identity. The old rows are unknown, so the table is read again. */
  #readIncomplete({ oid, schema, name }: Relation): void {
    if (!this.#followed.follows(oid)) return
    this.#barrier.rewritten(oid)
    this.#options.logger.log('warn', 'changes of a table came without their old rows: it is read again', {
      schema,
      name,
    })
  }

  #readMessage({ prefix, content, transactional }: MessageEvent): void {
    if (transactional) this.#buffer.setAuthor((prefix === AUTHOR_PREFIX && content) || null)
    if (prefix === FILL_PREFIX) this.#messages = { ...this.#messages, fill: content }
    else if (prefix === DUE_PREFIX) this.#messages = { ...this.#messages, due: content }
    else if (prefix === BARRIER_PREFIX) this.#isAwaited ||= content === FOLLOWER_WAITS
    else if (prefix === BEAT_PREFIX) this.#options.heartbeat.message(content)
    else if (this.#barrier.message(prefix, content, this.#followed)) this.#options.onUnpublished()
  }

  async #addChange(event: RowEvent): Promise<void> {
    const { open } = this.#buffer
    if (!open || this.#options.heartbeat.row(event.relation)) return
    this.#buffer.setAuthor(null)
    const { relation } = event
    const old = event.kind === 'insert' ? undefined : event.old
    const row = event.kind === 'delete' ? undefined : event.row
    const { author } = this.#buffer
    const change: RowChange = { relation, old, row, commitLsn: open.commitLsn, author }
    this.#collectDependencies(open, change, author)
    const table = this.#active.tables.get(relation.oid)?.table
    if (!table) return
    if (this.#missing.of(relation)) this.#barrier.rewritten(relation.oid)
    this.#options.fill.chunks.touched(relation, old, row)
    this.#options.dueRows.touched(relation, old, row)
    if (table.key.deferrable) {
      const router = this.#routers(relation)?.router
      if (router) this.#buffer.deferred.add(change, (tuple) => router.objectId(tuple))
      return
    }
    this.#buffer.add(change)
    // Buffers more rows behind earlier complete transactions, which are completed after the current events without waiting for the end of this one.
    const isEnough = this.#buffer.holdsEarlier ? this.#options.writer.chunkOps : this.#rowsAtOnce(relation)
    if (this.#buffer.size >= isEnough) await this.#routeOpen()
  }

  #collectDependencies({ xid }: OpenTransaction, { relation, old, row }: RowChange, author: string | null): void {
    const { dependencies, onConcerned } = this.#options
    const planned = this.#active.dependencies.get(relation.oid)
    if (!planned) return
    dependencies.collect(xid, planned, relation, old, row)
    if (author === null) return
    for (const holder of dependencies.few(planned, relation, old, row, FLOOD_STREAMS_MAX)) onConcerned(holder, author)
  }

  #rowsAtOnce(relation: Relation): number {
    const isAsked = (this.#routers(relation)?.router.expressions.length ?? 0) > 0
    return Math.min(this.#options.writer.chunkOps, isAsked ? CHUNK_OPS_MAX : ROUTED_ROWS)
  }

  /** Routes the changes so far of a transaction that is too large to buffer until its end. */
  async #routeOpen(): Promise<void> {
    this.#buffer.routeOpen()
    await this.#route(this.#buffer.take())
    await this.#options.writer.spill()
  }

  async #route(changes: readonly RowChange[], routers = this.#routers): Promise<void> {
    if (changes.length === 0) return
    const { evaluator, writer } = this.#options
    const { db, batchDb, ids, pending, moments } = writer
    await applyChanges({ db, batchDb, evaluator, routers, ids, pending, moments }, changes)
  }

  async #truncate(oids: readonly number[]): Promise<void> {
    const { open } = this.#buffer
    if (!open) return
    await this.#route(this.#buffer.take())
    const { writer, fill, dueRows, dependencies } = this.#options
    fill.chunks.truncated(oids)
    dueRows.truncated(oids)
    const numbers = oids.flatMap((oid) =>
      (this.#active.tables.get(oid)?.definitions ?? [])
        .filter(({ stored }) => open.commitLsn >= stored.activeFrom)
        .map(({ stored }) => stored.number),
    )
    this.#buffer.routeOpen()
    this.#buffer.deferred.forget(oids)
    for (let after = 0; ;) {
      const some = await bucketsOfDefinitions(writer.db, numbers, after)
      const last = some.at(-1)
      if (last === undefined) break
      after = last
      writer.pending.clear(new Set(some))
      await writer.spill()
    }
    writer.pending.clear(new Set(writer.ids.newOnesOf(new Set(numbers))))
    if (oids.some((oid) => this.#active.dependencies.has(oid))) dependencies.collectAll(open.xid)
  }

  async #commit(endLsn: Lsn): Promise<boolean> {
    const { fill, dueRows, heartbeat, onQuietChange, onApartChange, onUnpublished } = this.#options
    this.#end = endLsn
    await this.#addDeferred()
    if (heartbeat.committed()) {
      this.#barrier.missed(this.#active.tables.keys())
      onUnpublished()
    }
    const { open } = this.#buffer
    const { stops, hasQuietChange, hasApartChange } = this.#barrier.commit(open?.xid, this.#options.sawChange)
    if (hasQuietChange) onQuietChange()
    if (hasApartChange) onApartChange()
    if (open) for (const one of [fill, dueRows]) one.committed(open.xid)
    this.#buffer.commit()
    const messages = this.#messages
    this.#messages = {}
    if (messages.fill !== undefined) await this.#addFilledRows(messages.fill)
    if (messages.due !== undefined) await this.#addDueRows(messages.due)
    return stops
  }

  async #addDeferred(): Promise<void> {
    for (const change of this.#buffer.deferred.take()) {
      this.#buffer.add(change)
      if (this.#buffer.size >= this.#options.writer.chunkOps) await this.#routeOpen()
    }
  }

  /** Routes backfilled rows at their position in the stream, between two transactions. */
  async #addFilledRows(content: string): Promise<void> {
    await this.#route(this.#buffer.take())
    const found = this.#options.fill.chunks.message(content)
    if (!found) return
    for (let at = 0; at < found.changes.length; at += FILL_ROWS) {
      await this.#route(found.changes.slice(at, at + FILL_ROWS), found.routers)
      await this.#options.writer.spill()
    }
  }

  /** Routes due rows at their position in the stream. */
  async #addDueRows(content: string): Promise<void> {
    const { dueRows, writer } = this.#options
    await this.#route(this.#buffer.take())
    const found = dueRows.message(content)
    if (!found) return
    for (const { definition, rowKey } of found.gone) writer.moments.forget(definition, rowKey)
    await this.#route(found.changes, found.routers)
    await writer.spill()
  }

  /** Confirms progress without relevant changes to Postgres. It is not stored, because that write would advance the position again. */
  #passed(lsn: Lsn): void {
    if (this.#buffer.open) return
    if (this.#end !== undefined) {
      if (lsn > this.#end) this.#end = lsn
      return
    }
    const { feed, stream } = this.#options
    if (this.#buffer.size > 0 || lsn <= feed.position) return
    feed.advance(lsn)
    stream.confirm(lsn)
  }

  /** Completes the batch of all complete transactions, without waiting for one that is still arriving. */
  async #completeWhole(): Promise<void> {
    if (this.#end === undefined) return
    const changes = this.#buffer.open ? this.#buffer.takeEarlier() : this.#buffer.take()
    if (changes) await this.#completeBatch(this.#end, false, changes)
  }

  async #completeBatch(endLsn: Lsn, changesSchema: boolean, changes: readonly RowChange[]): Promise<void> {
    const { evaluator, writer, dependencies, stream, progress, fill, dueRows, stopServing, notes } = this.#options
    await this.#route(changes)
    const distrusted = evaluator.takeDistrusted()
    if (distrusted.size > 0) await this.#invalidateTables(distrusted)
    const isSetBack = dueRows.takeSetBack()
    if (isSetBack) this.#barrier.voided()
    const stops = changesSchema || isSetBack || distrusted.size > 0
    const draft = notes.draft({
      routed: this.#active,
      stops,
      hasNewClasses: this.#hasNewClasses,
      isAwaited: this.#isAwaited,
    })
    this.#isAwaited = false
    const beforePublish = (): void => {
      if (stops) stopServing()
      dependencies.tell()
    }
    await writer.complete(endLsn, beforePublish, draft)
    if (this.#hasNewClasses) {
      this.#notices.log(this.#active)
      for (const holder of dependencies.everybody()) holder.wake()
    }
    this.#hasNewClasses = false
    stream.confirm(endLsn)
    progress.applied(this.#buffer.open !== undefined)
    fill.chunks.durable()
    dueRows.durable()
  }

  /** Stores the invalidation before the position passes the rewrite, so that it survives a crash in between. */
  async #invalidateRewritten(): Promise<void> {
    const oids = this.#barrier.takeRewritten()
    if (oids.length > 0) await this.#invalidateTables(oids)
  }

  async #invalidateTables(oids: Iterable<number>): Promise<void> {
    const definitions = [...oids].flatMap((oid) => this.#active.tables.get(oid)?.definitions ?? [])
    this.#barrier.voided()
    await invalidateDefinitions(
      this.#options.pool,
      definitions.map(({ stored }) => stored.number),
    )
  }

  #watchClasses(): void {
    for (const { definitions } of this.#active.tables.values())
      for (const { classes } of definitions) classes?.onAdd(() => (this.#hasNewClasses = true))
  }
}

function followedBy(active: ActivePlan): Followed {
  return {
    plan: active.plan,
    follows: (table) => active.tables.has(table) || active.dependencies.has(table),
  }
}
