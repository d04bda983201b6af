import { randomBytes } from 'node:crypto'
import { errorMessage, type Logger } from '@holdfast/foundation'
import type { TablePlan } from '@holdfast/policy'
import { SQLSTATE, sql, sqlstateOf, type Pool } from '@holdfast/postgres'
import type { Lsn, Relation, Tuple } from '@holdfast/replication'
import type { ActivePlan } from '../buckets/active-plan.ts'
import { LOCKED_RETRY_MS } from '../limits.ts'
import { writeProgress, type Unfilled } from '../storage/fills.ts'
import { createRouters, type RowChange, type Routers } from '../rows/apply-changes.ts'
import { createTurns, type FillProgress, type Job } from './fill-turns.ts'
import { readChunk } from './read-chunk.ts'
import { createRecentTransactions } from '../rows/recent-transactions.ts'
import { untilWritersEnded } from './writers.ts'

/** Prefix of the messages between which rows of a table were read. */
export const FILL_PREFIX = 'holdfast:fill'

/** Rows that go into the log at one place of the stream: other people's changes wait for no more than these. */
const PORTION_ROWS = 2_000
/** Rows of a chunk belong to no transaction; definitions take changes of any position from here on. */
export const ALWAYS = (2n ** 64n - 1n) as Lsn

/** How often to try a table again that could not be read, at most, in milliseconds. */
const FAILED_RETRY_MS = 2_000

/** A chunk between its first and its last message. */
interface Window {
  readonly name: string
  readonly job: Job
  /** Its first message has passed: from here on changes are noted. */
  readonly opened: PromiseWithResolvers<void>
  /** The rows of its newest message have been taken for the log. */
  taken: PromiseWithResolvers<void>
  /** All its rows are in the log. */
  readonly applied: PromiseWithResolvers<void>
  isOpen: boolean
  readonly touched: Set<string>
  isTruncated: boolean
  /** Rows that are not in the log yet. */
  rows: readonly Tuple[]
  isLast: boolean
}

/** Rows that belong into the log at this place of the stream, and how to route them. */
export interface FillRows {
  readonly changes: readonly RowChange[]
  readonly routers: Routers
}

/**
 * Fills the buckets of definitions while changes stream, a chunk of rows at a time in the order of the table's key.
 *
 * Each chunk is read between two messages in the write-ahead log. A change that the stream has between them may or may not be in what was read, so the
 * rows it touches are left out: the change itself brings them. All other rows are as they were read at the second message. They go into the log there, a
 * portion, and at further messages the others, without those that were touched before. Changes of rows go into these buckets from the beginning, whether or
 * not the row has been read. So nothing waits long, no snapshot is held, memory is bounded by a chunk, and after a crash it goes on behind the last
 * chunk that is in the log.
 */
export interface BackgroundFill extends AsyncDisposable {
  /** Begins, or goes on, with everything in the plan that is not complete. Ends what was being filled. */
  start(active: ActivePlan, unfilled: Unfilled): Promise<void>
  /** The same definitions under another plan: others were completed. */
  use(active: ActivePlan): void
  stop(): Promise<void>
  /** What is being read. */
  readonly progress: FillProgress | undefined

  /** Whether rows of this table that were read are in the log, or changes of it are being noted. */
  hasBegun(oid: number): boolean

  /** A transaction has committed in the stream. */
  committed(xid: number): void
  /** A row was changed. */
  touched(relation: Relation, old: Tuple | undefined, row: Tuple | undefined): void
  truncated(oids: readonly number[]): void
  /** A message of this kind was in a transaction that has committed. @returns rows whose place in the log is here */
  message(content: string): FillRows | undefined
  /** Everything up to here is in the log. */
  durable(): void
  /** Definitions that have been completed since the last call. */
  takeCompleted(): readonly number[]
}

export function createBackgroundFill(options: {
  readonly pool: Pool
  /** Connects as `holdfast_reader`, for reading tables past their policies. */
  readonly url: string
  /** Called when a transaction of a user has the table of some definitions locked: reading it may take long. */
  readonly onLocked: (definitions: Iterable<number>) => void
  readonly logger: Logger
}): BackgroundFill {
  const { pool, logger } = options
  const run = randomBytes(4).toString('hex')
  let active: ActivePlan | undefined
  let routers = new Map<Job, Routers>()
  let window: Window | undefined
  let toBeDurable: Window[] = []
  let completed: number[] = []
  let begun = new Set<number>()
  const recent = createRecentTransactions(pool)
  let chunks = 0
  let progress: FillProgress | undefined
  let stopping = new AbortController()
  let running: Promise<void> | undefined

  function routersOf(job: Job): Routers {
    let found = routers.get(job)
    if (!found) routers.set(job, (found = createRouters(onlyOf(active as ActivePlan, job))))
    return found
  }

  async function emit(content: string): Promise<void> {
    // Flushed with its commit, also where other commits are not: the stream does not show what is not on disk.
    await pool.query(
      sql`select set_config('synchronous_commit', 'on', true), pg_logical_emit_message(true, ${FILL_PREFIX}, ${content})`,
    )
  }

  /** One chunk. @returns the key of its last row; `undefined` when there are no more */
  async function fillChunk(
    job: Job,
    after: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<readonly string[] | undefined> {
    const current: Window = {
      name: `${run}/${++chunks}`,
      job,
      opened: Promise.withResolvers(),
      taken: Promise.withResolvers(),
      applied: Promise.withResolvers(),
      isOpen: false,
      touched: new Set(),
      isTruncated: false,
      rows: [],
      isLast: false,
    }
    window = current
    try {
      await emit(`${current.name}/from`)
      await orAborted(current.opened.promise, signal)
      // What the stream had before the first message was not noted: it has to be in what is read.
      await recent.untilVisible(signal)
      const { rows, isLast } = await readChunk({ ...options, signal }, job.table, after)
      signal.throwIfAborted()
      current.rows = rows
      current.isLast = isLast
      // The next message is on its way while rows are being written; what was committed before it goes first.
      do {
        current.taken = Promise.withResolvers()
        await emit(`${current.name}/to`)
        await orAborted(current.taken.promise, signal)
      } while (current.rows.length > 0)
      await orAborted(current.applied.promise, signal)
      if (progress) progress = { ...progress, rows: progress.rows + rows.length }
      if (current.isLast) return undefined
      const last = keyOf(job.table, rows.at(-1) ?? [])
      await writeProgress(pool, [...job.definitions], last, rows.length)
      return last
    } finally {
      if (window === current) window = undefined
    }
  }

  async function fillAll(jobs: readonly Job[], signal: AbortSignal): Promise<void> {
    const turns = createTurns(jobs)
    for (let turn = await turns.next(signal); turn !== undefined; turn = await turns.next(signal)) {
      const { job } = turn
      turn.progress ??= { table: `${job.table.schema}.${job.table.name}`, rows: 0, sinceMs: performance.now() }
      progress = turn.progress
      try {
        if (!turn.hasBegun) await untilWritersEnded(pool, job.table.oid, signal)
        turn.hasBegun = true
        const last = await fillChunk(job, turn.after, signal)
        turn.progress = progress
        turns.succeeded(turn, last)
        if (last !== undefined) continue
        logger.log('info', 'a table was read for sync', {
          table: progress.table,
          definitions: job.definitions.size,
          rows: progress.rows,
          ms: Math.round(performance.now() - progress.sinceMs),
        })
      } catch (error) {
        if (signal.aborted) return
        const isLocked = sqlstateOf(error) === SQLSTATE.lockNotAvailable
        if (isLocked) options.onLocked(job.definitions)
        // A lost connection, or a change of the schema that the stream will tell of: that ends this.
        if (!isLocked || turn.failures === 0)
          logger.log(
            'info',
            isLocked ? 'a table is locked and will be read later' : 'a table is read again from where it was',
            {
              table: job.table.name,
              reason: errorMessage(error),
            },
          )
        turns.failed(turn, isLocked ? LOCKED_RETRY_MS : FAILED_RETRY_MS)
      }
    }
    progress = undefined
  }

  async function stop(): Promise<void> {
    stopping.abort(new Error('the fill was stopped'))
    await running
    running = undefined
    window = undefined
    toBeDurable = []
    completed = []
    progress = undefined
  }

  return {
    async start(next, unfilled) {
      await stop()
      active = next
      routers = new Map()
      const jobs = await jobsOf(pool, next, unfilled)
      begun = new Set(jobs.filter((job) => job.filledTo !== null).map((job) => job.table.oid))
      stopping = new AbortController()
      const { signal } = stopping
      running = fillAll(jobs, signal).catch((error: unknown) => {
        if (!signal.aborted) logger.log('error', 'tables could not be read', { reason: errorMessage(error) })
      })
    },
    use(next) {
      active = next
      routers = new Map()
    },
    stop,
    get progress() {
      return progress
    },
    hasBegun: (oid) => begun.has(oid),
    committed: (xid) => recent.committed(xid),
    touched(relation, old, row) {
      if (!window?.isOpen || relation.oid !== window.job.table.oid) return
      const found = routersOf(window.job)(relation)
      if (!found) return
      if (old) window.touched.add(found.router.objectId(old))
      if (row) window.touched.add(found.router.objectId(row))
    },
    truncated(oids) {
      if (window?.isOpen && oids.includes(window.job.table.oid)) window.isTruncated = true
    },
    message(content) {
      if (!window || !content.startsWith(`${window.name}/`)) return undefined
      if (content.endsWith('/from')) {
        window.isOpen = true
        begun.add(window.job.table.oid)
        window.opened.resolve()
        return undefined
      }
      const { job, touched, isTruncated } = window
      const rows = window.rows.slice(0, PORTION_ROWS)
      window.rows = window.rows.slice(PORTION_ROWS)
      window.isOpen = window.rows.length > 0
      window.taken.resolve()
      if (!window.isOpen) toBeDurable.push(window)
      const relation = relationOf(job.table)
      const found = routersOf(job)
      const router = found(relation)?.router
      if (!router || isTruncated) return { changes: [], routers: found }
      const changes = rows
        .filter((row) => touched.size === 0 || !touched.has(router.objectId(row)))
        .map((row): RowChange => ({ relation, old: undefined, row, commitLsn: ALWAYS, isRead: true }))
      return { changes, routers: found }
    },
    durable() {
      for (const one of toBeDurable) {
        if (one.isLast) completed.push(...one.job.definitions)
        one.applied.resolve()
      }
      toBeDurable = []
    },
    takeCompleted() {
      const taken = completed
      completed = []
      return taken
    },
    [Symbol.asyncDispose]: stop,
  }
}

export async function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  let onAbort = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

const relations = new WeakMap<TablePlan, Relation>()

/** The rows of a chunk in the shape of the stream's. */
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

function keyOf(table: TablePlan, row: Tuple): readonly string[] {
  return table.key.columns.map((name) => row[table.columns.findIndex((column) => column.name === name)] ?? '')
}

/** The part of a plan that a job fills. */
function onlyOf(active: ActivePlan, job: Job): ActivePlan {
  const entry = active.tables.get(job.table.oid)
  const definitions = (entry?.definitions ?? []).filter(({ stored }) => job.definitions.has(stored.number))
  return { ...active, tables: new Map([[job.table.oid, { table: job.table, definitions }]]) }
}

/** Definitions of a table that are equally far go together; small tables first. */
async function jobsOf(pool: Pool, active: ActivePlan, unfilled: Unfilled): Promise<readonly Job[]> {
  const jobs: Job[] = []
  for (const { table, definitions } of active.tables.values()) {
    const open = definitions.filter(({ stored }) => unfilled.has(stored.number))
    const groups = Map.groupBy(open, ({ stored }) => JSON.stringify(unfilled.get(stored.number)))
    for (const group of groups.values()) {
      const filledTo = unfilled.get(group[0]?.stored.number ?? 0) ?? null
      jobs.push({ table, definitions: new Set(group.map(({ stored }) => stored.number)), filledTo })
    }
  }
  const sizes = await pool.query<{ oid: string; pages: number }>(sql`
    select oid::int8::text as oid, relpages as pages from pg_catalog.pg_class
     where oid = any(${jobs.map((job) => job.table.oid)}::int8[]::oid[])
  `)
  const pages = new Map(sizes.map((row) => [Number(row.oid), row.pages]))
  return jobs.toSorted((left, right) => (pages.get(left.table.oid) ?? 0) - (pages.get(right.table.oid) ?? 0))
}
