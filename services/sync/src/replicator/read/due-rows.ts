import { randomBytes } from 'node:crypto'
import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import type { TablePlan } from '@holdfast/policy'
import type { Pool } from '@holdfast/postgres'
import type { Relation, Tuple } from '@holdfast/replication'
import type { ActiveDefinition, ActivePlan } from '../../buckets/active-plan.ts'
import { DUE_ROWS_MAX, DUE_ROWS_POLL_MS } from '../../limits.ts'
import { noteClock, readDueRows } from '../../storage/moments.ts'
import { createRouters } from '../../rows/apply-changes.ts'
import { emitMessage, orAborted } from '../../fill/stream-messages.ts'
import { readByKeys } from '../../fill/read-chunk.ts'
import { createRecentTransactions } from '../../rows/recent-transactions.ts'
import { DueWindow, type DueChanges } from './due-window.ts'
import { wakeReader } from '../setup/wake-reader.ts'

/** Prefix of the two messages between which due rows are read. */
export const DUE_PREFIX = 'holdfast:due'

interface ClockedTable {
  readonly table: TablePlan
  readonly definitions: readonly ActiveDefinition[]
}

interface DueRowsOptions {
  readonly pool: Pool
  /** Connects as `holdfast_reader`, which bypasses policies. */
  readonly url: string
  readonly active: ActivePlan
  readonly logger: Logger
}

/**
 * Re-evaluates rows whose policies depend on the clock when they are due; see `sync.moments`.
 * Reads some rows at a time between two messages in the write-ahead log, like a backfill. A row that changes between them is evaluated with its change; the
 * others are evaluated at the second message. Operations and next moments are written together, so an interrupted round is repeated.
 */
export class DueRows implements AsyncDisposable {
  readonly #options: DueRowsOptions
  readonly #run = randomBytes(4).toString('hex')
  readonly #recent: ReturnType<typeof createRecentTransactions>
  readonly #stopping = new AbortController()
  readonly #looping: Promise<void>
  /** Aborts the current round; the loop starts the next one. */
  #abandoning = new AbortController()
  #active: ActivePlan
  #tables: ReadonlyMap<number, ClockedTable>
  #window: DueWindow | undefined
  #windows = 0
  #isSetBack = false

  constructor(options: DueRowsOptions) {
    this.#options = options
    this.#recent = createRecentTransactions(options.pool)
    this.#active = options.active
    this.#tables = clockedTables(options.active)
    this.#looping = this.#loop()
  }

  /** Switches to another plan and abandons the current round. */
  use(active: ActivePlan): void {
    this.#active = active
    this.#tables = clockedTables(active)
    this.#abandon('the plan has changed')
  }

  /** Called when the stream delivers a commit. */
  committed(xid: number): void {
    this.#recent.committed(xid)
  }

  /** Called for each row change. */
  touched(relation: Relation, old: Tuple | undefined, row: Tuple | undefined): void {
    const window = this.#window
    if (!window?.isOpen || relation.oid !== window.table.oid) return
    const router = window.routers(relation)?.router
    if (!router) return
    for (const tuple of [old, row]) if (tuple) window.markChanged(router.objectId(tuple))
  }

  truncated(oids: readonly number[]): void {
    if (this.#window && oids.includes(this.#window.table.oid)) this.#abandon('the table was truncated')
  }

  /** Handles a message of this kind at its commit. @returns the changes to write to the log at this position */
  message(content: string): DueChanges | undefined {
    const window = this.#window
    if (!window?.isOwnMessage(content)) return undefined
    if (content !== window.first) return window.take()
    window.open()
    return undefined
  }

  /** Called when all changes so far are in the log. */
  durable(): void {
    if (this.#window?.isTaken) this.#window.markApplied()
  }

  /** Returns whether the clock was set back since the last call, which invalidates definitions that read it. */
  takeSetBack(): boolean {
    const isSetBack = this.#isSetBack
    this.#isSetBack = false
    return isSetBack
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('the change reader has ended'))
    await this.#looping
  }

  #abandon(reason: string): void {
    this.#window = undefined
    this.#abandoning.abort(new Error(reason))
    this.#abandoning = new AbortController()
  }

  async #loop(): Promise<void> {
    const stopping = this.#stopping.signal
    while (!stopping.aborted) {
      let isMore = false
      const signal = AbortSignal.any([stopping, this.#abandoning.signal])
      try {
        await this.#watchClock()
        isMore = await this.#evaluateSome(signal)
      } catch (error) {
        // A lost connection, or a schema change that the stream will announce.
        if (!signal.aborted)
          this.#options.logger.log('debug', 'rows whose moment has come are read again', {
            reason: errorMessage(error),
          })
      }
      if (!isMore) await delay(DUE_ROWS_POLL_MS, stopping).catch(() => undefined) // stopping ends the loop
    }
  }

  /** Deleted rows have no moments, and keys are evaluated only at their next moment. So after the clock was set back, all of them are read again. */
  async #watchClock(): Promise<void> {
    const { pool, logger } = this.#options
    if (!readsClock(this.#active)) return
    if ((await noteClock(pool, [...this.#tables.keys()])) === 'going on') return
    logger.log('warn', 'the clock of Postgres was set back: tables whose policies read it are read again')
    this.#isSetBack = true
    await wakeReader({ pool, logger })
  }

  /** @returns whether more rows may be due */
  async #evaluateSome(signal: AbortSignal): Promise<boolean> {
    const { pool, url } = this.#options
    const numbers = [...this.#tables.keys()]
    const due = numbers.length === 0 ? [] : await readDueRows(pool, numbers, DUE_ROWS_MAX)
    const first = due[0] && this.#tables.get(due[0].definition)
    if (!first) return false
    const { table, definitions } = first
    const window = new DueWindow(`${this.#run}/${++this.#windows}`, {
      table,
      routers: createRouters({ ...this.#active, tables: new Map([[table.oid, { table, definitions }]]) }),
      due: due.filter(({ definition }) => this.#tables.get(definition)?.table.oid === table.oid),
    })
    this.#window = window
    try {
      await emitMessage(pool, DUE_PREFIX, window.first)
      await orAborted(window.opened, signal)
      // Changes delivered before the first message were not recorded, so the query must see them.
      await this.#recent.untilVisible(signal)
      const { rows, isWhole } = await readByKeys({ pool, url, signal }, table, window.keys())
      window.setRows(rows, isWhole)
      signal.throwIfAborted()
      await emitMessage(pool, DUE_PREFIX, window.last)
      await orAborted(window.applied, signal)
      return true
    } finally {
      if (this.#window === window) this.#window = undefined
    }
  }
}

/** Returns the definitions that read the clock by number, each with its table. */
function clockedTables(active: ActivePlan): ReadonlyMap<number, ClockedTable> {
  const found = new Map<number, ClockedTable>()
  for (const { table, definitions } of active.tables.values()) {
    const clocked = definitions.filter(({ definition }) => definition.rowFilter?.next !== undefined)
    for (const { stored } of clocked) found.set(stored.number, { table, definitions: clocked })
  }
  return found
}

/** Whether a policy reads the clock, for its own row or through a key query. */
function readsClock({ tables, dependencies }: ActivePlan): boolean {
  return (
    [...tables.values()].some(({ definitions }) =>
      definitions.some(({ definition }) => definition.rowFilter?.next !== undefined),
    ) || [...dependencies.values()].some((some) => some.some(({ clock }) => clock !== undefined))
  )
}
