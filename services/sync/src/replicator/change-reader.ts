import type { Logger } from '@holdfast/foundation'
import { AUTHOR_PREFIX, type Pool } from '@holdfast/postgres'
import type { Lsn, Relation, ReplicationEvent, ReplicationStream } from '@holdfast/replication'
import { fullClassLists } from '../buckets/access-classes.ts'
import type { ClassList } from '../buckets/class-list.ts'
import type { ActiveDefinition, ActivePlan } from '../buckets/active-plan.ts'
import type { DependencyIndex, KeyHolder } from '../buckets/dependency-index.ts'
import type { CheckpointFeed } from '../checkpoints/checkpoint-feed.ts'
import { CHUNK_OPS_MAX, FLOOD_STREAMS_MAX } from '../limits.ts'
import { bucketsOfDefinitions, voidDefinitions } from '../storage/bucket-storage.ts'
import { FILL_PREFIX, type BackgroundFill } from '../fill/background-fill.ts'
import { applyChanges, createRouters, type Routers, type RowChange } from '../rows/apply-changes.ts'
import { createDeferredKeys } from './deferred-keys.ts'
import { BEAT_PREFIX, type Heartbeat } from './heartbeat.ts'
import type { LogWriter } from './log-writer.ts'
import { DUE_PREFIX, type DueRows } from './due-rows.ts'
import { followsNone, QUIET_PREFIX } from './quiet-changes.ts'
import type { ReaderProgress } from './reader-progress.ts'
import type { RowEvaluator } from '../rows/row-evaluator.ts'

/** Prefix of the message that the catalog's event trigger writes into a transaction that changed the schema. */
export const DDL_PREFIX = 'holdfast:ddl'

/** Prefix of the message with the oid of a table that somebody took out of the publication. */
const UNPUBLISHED_PREFIX = 'holdfast:unpublished'

/** Prefix of the message with the oid of a table whose rows `ALTER TABLE` rewrites: the stream has no changes for that. */
export const REWRITE_PREFIX = 'holdfast:rewrite'

/** Rows read in the background that are routed at once. */
const FILL_ROWS = 1_000

/**
 * Rows of one transaction that are routed at once: few, so that what is made on the way does not live long enough to be copied by the garbage collector. Where
 * Postgres has to evaluate expressions, as many as a chunk has.
 */
const ROUTED_ROWS = 1_000

/** Turns the events of the stream into batches of the log. */
export interface ChangeReader {
  /** Applies events. Stops after a transaction that changed the schema. @returns the events that are left */
  read(events: readonly ReplicationEvent[]): Promise<readonly ReplicationEvent[]>
  /** The transactions that changed the schema since the last call. */
  takeSchemaChanges(): readonly number[]
  /** Whether types were altered since the last call. */
  takeAlteredTypes(): boolean
  /** Whether tables have to be read again since the last call, because their rows were rewritten or missed, or could not be evaluated. */
  takeRewrites(): boolean
  use(active: ActivePlan): void
  /** Whether access classes are left out, and nothing of a transaction is under way, so that they can be counted. */
  leavesOutClasses(): boolean
}

export interface ChangeReaderOptions {
  readonly pool: Pool
  readonly evaluator: RowEvaluator
  readonly feed: CheckpointFeed
  readonly dependencies: DependencyIndex
  readonly writer: LogWriter
  /** Gets the positions that are in the log. */
  readonly stream: Pick<ReplicationStream, 'confirm'>
  readonly active: ActivePlan
  /** Is told what passes, and puts rows in at their place. */
  readonly fill: BackgroundFill
  /** The same. */
  readonly dueRows: DueRows
  /** Called before anything of a transaction that changed the schema can be seen. */
  readonly stopServing: () => void
  readonly heartbeat: Heartbeat
  /** Called after a transaction with a change of the schema whose effect no device sees. */
  readonly onQuietChange: () => void
  /** Called when changes of some table are known to be missing. It is read again. */
  readonly onUnpublished: () => void
  readonly progress: ReaderProgress
  /** A row was changed by somebody that says what the person of a stream has. */
  readonly onConcerned: (holder: KeyHolder, author: string) => void
  readonly logger: Logger
}

function definitionsOf(active: ActivePlan): readonly ActiveDefinition[] {
  return [...active.tables.values()].flatMap(({ definitions }) => definitions)
}

export function createChangeReader(options: ChangeReaderOptions): ChangeReader {
  const { pool, evaluator, dependencies, feed, writer, stream, fill, dueRows, stopServing, heartbeat, logger } = options
  let active = options.active
  let routers: Routers = createRouters(active)
  let changes: RowChange[] = []
  const deferred = createDeferredKeys()
  let inside: { readonly xid: number; readonly commitLsn: Lsn } | undefined
  /** Who made the changes of the open transaction, see {@link AUTHOR_PREFIX}. `undefined`: nothing of it has come yet. */
  let author: string | null | undefined
  /** Where the changes of the open transaction begin, as long as none of them has been handed on. */
  let openFrom: number | undefined
  let pendingDdl = false
  /** The tables that the next change of the schema concerns, if it is quiet. */
  let quiet: string | undefined
  let hasQuietDdl = false
  let fillMessage: string | undefined
  let dueMessage: string | undefined
  let rewritten: number[] = []
  let hasRewrites = false
  let schemaChanges: number[] = []
  let lacking = new WeakMap<Relation, { readonly complete: boolean; readonly unfilled: boolean }>()
  let alteredTypes = false
  let hasNewClasses = false
  /** What was said of lists that leave classes out: the authors whose share is full, and `null` when the list is. */
  const said = new WeakMap<ClassList, Set<string | null>>()
  watchClasses()

  function watchClasses(): void {
    for (const { classes } of definitionsOf(active)) classes?.onAdd(() => (hasNewClasses = true))
  }

  /**
   * Whether rows of this shape have not all columns that definitions hold: a column was renamed, and has its name again by the time at which policies are
   * compiled. What is put into the log of such rows is not the row. Definitions of which nothing has been read yet get it right later.
   */
  function lacksColumns(relation: Relation): boolean {
    let found = lacking.get(relation)
    if (!found) {
      const names = new Set(relation.columns.map((column) => column.name))
      const lacks = (active.tables.get(relation.oid)?.definitions ?? []).filter(({ definition }) =>
        [
          ...definition.columns,
          ...(definition.rowFilter?.reads ?? []),
          ...definition.keys.flatMap((key) => key.reads),
        ].some((name) => !names.has(name)),
      )
      found = { complete: lacks.some((one) => !one.isUnfilled), unfilled: lacks.some((one) => one.isUnfilled) }
      lacking.set(relation, found)
    }
    return found.complete || (found.unfilled && fill.hasBegun(relation.oid))
  }

  function apply(into: Routers, some: readonly RowChange[]): Promise<void> {
    const { db, batchDb, ids, pending, moments } = writer
    return applyChanges({ db, batchDb, evaluator, routers: into, ids, pending, moments }, some)
  }

  async function flushChanges(): Promise<void> {
    if (changes.length === 0) return
    const taken = changes
    changes = []
    await apply(routers, taken)
  }

  function rowsAtOnce(relation: Relation): number {
    const isAsked = (routers(relation)?.router.expressions.length ?? 0) > 0
    return Math.min(writer.chunkOps, isAsked ? CHUNK_OPS_MAX : ROUTED_ROWS)
  }

  async function addChange(event: ReplicationEvent & { readonly kind: 'insert' | 'update' | 'delete' }): Promise<void> {
    if (!inside || heartbeat.row(event.relation)) return
    author ??= null
    const { relation } = event
    const old = event.kind === 'insert' ? undefined : event.old
    const row = event.kind === 'delete' ? undefined : event.row
    const planned = active.dependencies.get(relation.oid)
    if (planned) {
      dependencies.collect(inside.xid, planned, relation, old, row)
      if (author !== null) {
        for (const holder of dependencies.few(planned, relation, old, row, FLOOD_STREAMS_MAX))
          options.onConcerned(holder, author)
      }
    }
    const table = active.tables.get(relation.oid)?.table
    if (!table) return
    if (lacksColumns(relation) && !rewritten.includes(relation.oid)) rewritten.push(relation.oid)
    fill.touched(relation, old, row)
    dueRows.touched(relation, old, row)
    if (table.key.deferrable) {
      const change = { relation, old, row, commitLsn: inside.commitLsn, author: author ?? null }
      const router = routers(relation)?.router
      if (router) deferred.add(change, (tuple) => router.objectId(tuple))
      return
    }
    changes.push({ relation, old, row, commitLsn: inside.commitLsn, author: author ?? null })
    // Whole transactions before this one go first, when what has arrived is read; they do not wait for its end.
    const isEnough = openFrom !== undefined && openFrom > 0 ? writer.chunkOps : rowsAtOnce(relation)
    if (changes.length < isEnough) return
    openFrom = undefined
    await flushChanges()
    await writer.spill()
  }

  async function addDeferred(): Promise<void> {
    for (const change of deferred.take()) {
      changes.push(change)
      if (changes.length < writer.chunkOps) continue
      openFrom = undefined
      await flushChanges()
      await writer.spill()
    }
  }

  async function truncate(oids: readonly number[]): Promise<void> {
    if (!inside) return
    await flushChanges()
    fill.truncated(oids)
    dueRows.truncated(oids)
    const { xid, commitLsn } = inside
    const numbers = oids.flatMap((oid) =>
      (active.tables.get(oid)?.definitions ?? [])
        .filter(({ stored }) => commitLsn >= stored.activeFrom)
        .map(({ stored }) => stored.number),
    )
    openFrom = undefined
    deferred.forget(oids)
    for (let after = 0; ;) {
      const some = await bucketsOfDefinitions(writer.db, numbers, after)
      const last = some.at(-1)
      if (last === undefined) break
      after = last
      writer.pending.clear(new Set(some))
      await writer.spill()
    }
    writer.pending.clear(new Set(writer.ids.newOnesOf(new Set(numbers))))
    if (!oids.some((oid) => active.dependencies.has(oid))) return
    dependencies.collectAll(xid)
  }

  /** Rows that were read in the background, at their place in the stream: between two transactions. */
  async function addFilledRows(content: string): Promise<void> {
    await flushChanges()
    const found = fill.message(content)
    if (!found) return
    for (let at = 0; at < found.changes.length; at += FILL_ROWS) {
      const rows = found.changes.slice(at, at + FILL_ROWS)
      await apply(found.routers, rows)
      await writer.spill()
    }
  }

  /** Rows whose moment has come, at their place in the stream. */
  async function addDueRows(content: string): Promise<void> {
    await flushChanges()
    const found = dueRows.message(content)
    if (!found) return
    for (const { definition, rowKey } of found.gone) writer.moments.forget(definition, rowKey)
    await apply(found.routers, found.changes)
    await writer.spill()
  }

  /** Says once for each list that it is full, and once for each author that their share of it is. */
  function sayLeftOut(): void {
    for (const list of fullClassLists(active)) {
      const before = said.get(list) ?? new Set<string | null>()
      said.set(list, before)
      const { table, policy, max, perAuthorMax, leftOutOf, leftOut } = list
      const authors = [...leftOutOf.keys()]
      const isFull = leftOut > [...leftOutOf.values()].reduce((sum, count) => sum + count, 0)
      for (const who of isFull ? [...authors, null] : authors) {
        if (before.has(who)) continue
        before.add(who)
        if (who === null)
          logger.log('warn', 'a table has too many access classes: rows of the newest are left out', {
            table,
            policy,
            max,
          })
        else
          logger.log(
            'warn',
            'an account has brought more access classes than its share: rows of the newest are left out',
            {
              table,
              policy,
              max: perAuthorMax,
              author: who,
            },
          )
      }
    }
  }

  async function completeBatch(endLsn: Lsn, changesSchema: boolean): Promise<void> {
    await flushChanges()
    const distrusted = evaluator.takeDistrusted()
    if (distrusted.size > 0) await voidTables(distrusted)
    await writer.complete(endLsn, () => {
      if (changesSchema || distrusted.size > 0) stopServing()
      dependencies.tell()
    })
    if (hasNewClasses) {
      sayLeftOut()
      for (const holder of dependencies.everybody()) holder.wake()
    }
    hasNewClasses = false
    stream.confirm(endLsn)
    options.progress.applied(inside !== undefined)
    fill.durable()
    dueRows.durable()
  }

  /** The log has nothing of other tables. */
  function addRewritten(oid: number): void {
    if (active.tables.has(oid) || active.dependencies.has(oid)) rewritten.push(oid)
  }

  /** Written down before the position passes the rewrite, so that it is not forgotten when we die in between. */
  async function voidRewritten(): Promise<void> {
    if (rewritten.length === 0) return
    const oids = rewritten
    rewritten = []
    await voidTables(oids)
  }

  async function voidTables(oids: Iterable<number>): Promise<void> {
    const numbers = [...oids].flatMap((oid) => active.tables.get(oid)?.definitions ?? [])
    hasRewrites = true
    await voidDefinitions(
      pool,
      numbers.map(({ stored }) => stored.number),
    )
  }

  /** Rows do not come: nothing of what the log has is known to be current. */
  function missAll(): void {
    rewritten.push(...active.tables.keys())
    pendingDdl = true
    options.onUnpublished()
  }

  /** The reader has come further without anything for us: told to Postgres, but not written down, which would move it again. */
  function progress(lsn: Lsn): void {
    if (lsn <= feed.position) return
    feed.advance(lsn)
    stream.confirm(lsn)
  }

  return {
    takeSchemaChanges() {
      const taken = schemaChanges
      schemaChanges = []
      return taken
    },
    takeAlteredTypes() {
      const taken = alteredTypes
      alteredTypes = false
      return taken
    },
    takeRewrites() {
      const taken = hasRewrites
      hasRewrites = false
      return taken
    },
    use(next) {
      active = next
      routers = createRouters(next)
      lacking = new WeakMap()
      watchClasses()
      dueRows.use(next)
    },
    leavesOutClasses: () => !inside && changes.length === 0 && fullClassLists(active).length > 0,
    async read(events) {
      heartbeat.heard()
      let end: Lsn | undefined
      let sawDdl = false
      for (let index = 0; index < events.length; index++) {
        const event = events[index] as ReplicationEvent
        switch (event.kind) {
          case 'begin':
            inside = event
            author = undefined
            options.progress.began(event.committedAtMs)
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
            if (author === undefined && event.transactional)
              author = (event.prefix === AUTHOR_PREFIX && event.content) || null
            if (event.prefix === QUIET_PREFIX) quiet = event.content
            if (event.prefix === DDL_PREFIX) {
              if (quiet !== undefined && followsNone(active.plan, quiet)) hasQuietDdl = true
              else pendingDdl = true
              quiet = undefined
              alteredTypes ||= event.content.includes('ALTER TYPE')
            }
            if (event.prefix === FILL_PREFIX) fillMessage = event.content
            else if (event.prefix === DUE_PREFIX) dueMessage = event.content
            else if (event.prefix === REWRITE_PREFIX) addRewritten(Number(event.content))
            else if (event.prefix === BEAT_PREFIX) heartbeat.message(event.content)
            else if (event.prefix === UNPUBLISHED_PREFIX) {
              rewritten.push(Number(event.content))
              options.onUnpublished()
            }
            break
          case 'commit':
            end = event.endLsn
            await addDeferred()
            if (heartbeat.committed()) missAll()
            if (hasQuietDdl) options.onQuietChange()
            hasQuietDdl = false
            quiet = undefined
            sawDdl = pendingDdl || rewritten.length > 0
            if (sawDdl && inside) schemaChanges.push(inside.xid)
            pendingDdl = false
            if (inside) for (const one of [fill, dueRows]) one.committed(inside.xid)
            inside = undefined
            if (fillMessage !== undefined) await addFilledRows(fillMessage)
            if (dueMessage !== undefined) await addDueRows(dueMessage)
            fillMessage = dueMessage = undefined
            break
          case 'progress':
            if (end === undefined && !inside && changes.length === 0) progress(event.lsn)
            else if (end !== undefined && !inside) end = event.lsn > end ? event.lsn : end
            break
        }
        if (!sawDdl) continue
        await voidRewritten()
        await completeBatch(end as Lsn, true)
        return events.slice(index + 1)
      }
      if (end === undefined) return []
      if (!inside) await completeBatch(end, false)
      else if (openFrom !== undefined) {
        // The last transaction is still arriving: those before it need not wait for it.
        const open = changes.splice(openFrom)
        await completeBatch(end, false)
        changes = open
        openFrom = 0
      }
      return []
    },
  }
}
