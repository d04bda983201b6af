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

/** Prefix of the messages that mark the reading of a chunk in the stream. */
export const FILL_PREFIX = 'holdfast:fill'

/** Maximum retry delay in ms for a table that could not be read. */
const FAILED_RETRY_MS = 2_000

/** How users' transactions block the reading of a table. */
export interface Blocked {
  /** Whether the table is locked; otherwise transactions have uncommitted writes to it. */
  readonly isLocked: boolean
  readonly forMs: number
}

interface BackgroundFillOptions {
  readonly pool: Pool
  /** Connects as `holdfast_reader`, which bypasses the tables' policies. */
  readonly url: string
  /** Called repeatedly while users' transactions block the table of these definitions. */
  readonly onBlocked: (definitions: Iterable<number>, how: Blocked) => void
  /** Rows per chunk. */
  readonly chunkRows?: number | undefined
  readonly logger: Logger
}

/**
 * Fills the buckets of definitions in chunks, in the order of the table's key, while changes stream.
 * Each chunk is read between two messages in the write-ahead log. Changes between them may or may not be included in the chunk, so the rows they touch are
 * omitted; the change itself adds them. The other rows are valid at the second message. They are written to the log there in portions, the later ones at
 * further messages, without rows changed before. Row changes enter the buckets from the start, whether or not the row has been read. So nothing waits long,
 * no snapshot is held, memory is bounded by a chunk, and after a crash the fill resumes behind the last chunk in the log.
 */
export class BackgroundFill implements AsyncDisposable {
  readonly #options: BackgroundFillOptions
  readonly #name = randomBytes(4).toString('hex')
  readonly #recent: ReturnType<typeof createRecentTransactions>
  /** Position of the current chunk in the stream. */
  readonly chunks = new ChunkTracker()
  /** Number of chunks so far, for unique names. */
  #windows = 0
  /** Since when users' transactions have blocked a table, by oid, and whether operators were told. Kept across plans. */
  readonly #blocked = new Map<number, { readonly sinceMs: number; isReported: boolean }>()
  #progress: FillProgress | undefined
  #run: { readonly stopping: AbortController; readonly ended: Promise<void> } | undefined

  constructor(options: BackgroundFillOptions) {
    this.#options = options
    this.#recent = createRecentTransactions(options.pool)
  }

  /** Progress of the tables being read. */
  get progress(): FillProgress | undefined {
    return this.#progress
  }

  /** Starts or resumes filling all incomplete definitions of the plan. Stops an earlier fill. */
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

  /** Called when the stream delivers a commit. */
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

  /** Fills the next chunk of a job. */
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

  /** The fill stops after a lost connection, a lock, or a schema change, which the stream announces. */
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

  /** After a while, checkpoints stop waiting for the table, and operators are told which transactions block it. */
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

  /** Fills one chunk. @returns the key of its last row; `undefined` after the last chunk */
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
      // Changes delivered before the first message were not recorded, so the query must see them.
      await this.#recent.untilVisible(signal)
      const { rows, isLast } = await readChunk({ pool, url, signal, chunkRows }, job.table, after)
      signal.throwIfAborted()
      window.setRows(rows, isLast)
      // The next message is emitted while the previous portion is being written, so user changes committed until then come first.
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
