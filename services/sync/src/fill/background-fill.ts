import { randomBytes } from 'node:crypto'
import { errorMessage, type Logger } from '@holdfast/foundation'
import { SQLSTATE, sqlstateOf, type Pool } from '@holdfast/postgres'
import type { ActivePlan } from '../buckets/active-plan.ts'
import { describeTransactions } from '../lease/blocking-transactions.ts'
import { BLOCKED_MS, LOCKED_RETRY_MS, WRITERS_RETRY_MS } from '../limits.ts'
import { createRecentTransactions } from '../rows/recent-transactions.ts'
import { writeProgress, type Unfilled } from '../storage/fills.ts'
import { ChunkTracker } from './chunk-tracker.ts'
import { keyOf, listJobs } from './fill-jobs.ts'
import { createTurns, type FillProgress, type Job, type Turn, type Turns } from './fill-turns.ts'
import { FillWindow } from './fill-window.ts'
import { readChunk } from './read-chunk.ts'
import { emitMessage, orAborted } from './stream-messages.ts'
import { findBlocking, findWriters } from './writers.ts'

/** Prefix of the messages between which rows of a table were read. */
export const FILL_PREFIX = 'holdfast:fill'

/** How often to try a table again that could not be read, at most, in milliseconds. */
const FAILED_RETRY_MS = 2_000

/** How transactions of users keep a table from being read. */
export interface Blocked {
  /** Against reading; otherwise they have written to it. */
  readonly isLocked: boolean
  readonly forMs: number
}

interface BackgroundFillOptions {
  readonly pool: Pool
  /** Connects as `holdfast_reader`, for reading tables past their policies. */
  readonly url: string
  /** Called again and again while transactions of users keep the table of some definitions from being read. */
  readonly onBlocked: (definitions: Iterable<number>, how: Blocked) => void
  /** Rows of a table that are read at once. */
  readonly chunkRows?: number | undefined
  readonly logger: Logger
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
export class BackgroundFill implements AsyncDisposable {
  readonly #options: BackgroundFillOptions
  readonly #name = randomBytes(4).toString('hex')
  readonly #recent: ReturnType<typeof createRecentTransactions>
  /** Where the reading is, in the stream. */
  readonly chunks = new ChunkTracker()
  /** Chunks so far, each of which has its own name. */
  #windows = 0
  /** By oid, since when transactions of users keep a table from being read, and whether operators were told. Beginning again with another plan changes nothing about it. */
  readonly #blocked = new Map<number, { readonly sinceMs: number; isReported: boolean }>()
  #progress: FillProgress | undefined
  #run: { readonly stopping: AbortController; readonly ended: Promise<void> } | undefined

  constructor(options: BackgroundFillOptions) {
    this.#options = options
    this.#recent = createRecentTransactions(options.pool)
  }

  /** The tables being read. */
  get progress(): FillProgress | undefined {
    return this.#progress
  }

  /** Begins, or goes on, with everything in the plan that is not complete. Ends what was being filled. */
  async start(active: ActivePlan, unfilled: Unfilled): Promise<void> {
    await this.stop()
    this.chunks.use(active)
    const { pool, logger } = this.#options
    const jobs = await listJobs(pool, active, unfilled)
    for (const oid of this.#blocked.keys()) if (!jobs.some((job) => job.table.oid === oid)) this.#blocked.delete(oid)
    this.chunks.begin(new Set(jobs.filter((job) => job.filledTo !== null).map((job) => job.table.oid)))
    const stopping = new AbortController()
    const { signal } = stopping
    const ended = this.#fillAll(jobs, signal).catch((error: unknown) => {
      if (!signal.aborted) logger.log('error', 'tables could not be read', { reason: errorMessage(error) })
    })
    this.#run = { stopping, ended }
  }

  async stop(): Promise<void> {
    this.#run?.stopping.abort(new Error('the fill was stopped'))
    await this.#run?.ended
    this.#run = undefined
    this.chunks.reset()
    this.#progress = undefined
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /** A transaction has committed in the stream. */
  committed(xid: number): void {
    this.#recent.committed(xid)
  }

  async #fillAll(jobs: readonly Job[], signal: AbortSignal): Promise<void> {
    const turns = createTurns(jobs)
    for (let turn = await turns.next(signal); turn !== undefined; turn = await turns.next(signal)) {
      try {
        await this.#fillSome(turn, turns, signal)
      } catch (error) {
        if (signal.aborted) return
        await this.#noteFailure(turn, turns, error, signal)
      }
    }
    this.#progress = undefined
  }

  /** Reads the next chunk of a job. */
  async #fillSome(turn: Turn, turns: Turns, signal: AbortSignal): Promise<void> {
    const { job } = turn
    turn.progress ??= { table: `${job.table.schema}.${job.table.name}`, rows: 0, sinceMs: performance.now() }
    this.#progress = turn.progress
    turn.writers = await findWriters(this.#options.pool, job.table.oid, turn.writers)
    if (turn.writers.size > 0) {
      await this.#noteBlocked(turn, false)
      turns.failed(turn, WRITERS_RETRY_MS)
      return
    }
    const last = await this.#fillChunk(job, turn.after, signal)
    this.#blocked.delete(job.table.oid)
    const progress = this.#progress
    turn.progress = progress
    turns.succeeded(turn, last)
    if (last !== undefined) return
    this.#options.logger.log('info', 'a table was read for sync', {
      table: progress.table,
      definitions: job.definitions.size,
      rows: progress.rows,
      ms: Math.round(performance.now() - progress.sinceMs),
    })
  }

  /** A connection was lost, a table is locked, or the schema has changed, of which the stream will tell: that ends the fill. */
  async #noteFailure(turn: Turn, turns: Turns, error: unknown, signal: AbortSignal): Promise<void> {
    const { logger } = this.#options
    const { table } = turn.job
    const isLocked = sqlstateOf(error) === SQLSTATE.lockNotAvailable
    if (isLocked) await this.#noteBlocked(turn, true)
    if (signal.aborted) return
    if (!isLocked || turn.failures === 0)
      logger.log(
        'info',
        isLocked ? 'a table is locked and will be read later' : 'a table is read again from where it was',
        { table: table.name, reason: errorMessage(error) },
      )
    turns.failed(turn, isLocked ? LOCKED_RETRY_MS : FAILED_RETRY_MS)
  }

  /** Others wait for the table no longer once it has lasted, and operators are told whom it waits for. */
  async #noteBlocked({ job: { table, definitions } }: Turn, isLocked: boolean): Promise<void> {
    const { onBlocked, pool, logger } = this.#options
    const blocked = this.#blocked.get(table.oid) ?? { sinceMs: performance.now(), isReported: false }
    this.#blocked.set(table.oid, blocked)
    const forMs = performance.now() - blocked.sinceMs
    onBlocked(definitions, { isLocked, forMs })
    if (forMs < BLOCKED_MS || blocked.isReported) return
    blocked.isReported = true
    try {
      const transactions = await describeTransactions(pool, await findBlocking(pool, table.oid))
      logger.log('warn', 'a table is read for devices once transactions of others have ended', {
        table: `${table.schema}.${table.name}`,
        transactions,
      })
    } catch (error) {
      logger.log('debug', 'it is not known whom reading a table waits for', { reason: errorMessage(error) })
    }
  }

  /** Reads one chunk. @returns the key of its last row; `undefined` when there are no more */
  async #fillChunk(
    job: Job,
    after: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<readonly string[] | undefined> {
    const { pool, url, chunkRows } = this.#options
    const window = new FillWindow(`${this.#name}/${++this.#windows}`, job)
    this.chunks.expect(window)
    try {
      await emitMessage(pool, FILL_PREFIX, window.first)
      await orAborted(window.opened, signal)
      // Changes that the stream had before the first message were not noted: the rows read have to include them.
      await this.#recent.untilVisible(signal)
      const { rows, isLast } = await readChunk({ pool, url, signal, chunkRows }, job.table, after)
      signal.throwIfAborted()
      window.setRows(rows, isLast)
      // The next message is on its way while rows are being written; what was committed before it goes first.
      do {
        window.expectPortion()
        await emitMessage(pool, FILL_PREFIX, window.last)
        await orAborted(window.portionTaken, signal)
      } while (window.isOpen)
      await orAborted(window.applied, signal)
      if (this.#progress) this.#progress = { ...this.#progress, rows: this.#progress.rows + rows.length }
      if (isLast) return undefined
      const last = keyOf(job.table, rows.at(-1) ?? [])
      await writeProgress(pool, [...job.definitions], last, rows.length)
      return last
    } finally {
      this.chunks.forget(window)
    }
  }
}
