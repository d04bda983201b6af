import type { Logger } from '@holdfast/foundation'
import type { SyncPlan } from '@holdfast/policy'
import type { Pool } from '@holdfast/postgres'
import type { Lsn } from '@holdfast/replication'
import { haveRoom } from '../../buckets/access-classes.ts'
import { activatePlan, type ActivePlan, type ClassLimits } from '../../buckets/active-plan.ts'
import { loadClasses } from '../../buckets/class-origins.ts'
import { BackgroundFill } from '../../fill/background-fill.ts'
import { settleDefinitions } from '../../fill/settle-definitions.ts'
import { withFallbacks, type FallbackDefinition } from '../../fill/fallback-definitions.ts'
import { CLASS_RECOUNT_MS } from '../../limits.ts'
import { dropDefinitions, type StoredDefinition } from '../../storage/bucket-storage.ts'
import { readHold, readIsFilling, writeFilled, writeFilling, writeFirstFilled, writeHold } from '../../storage/fills.ts'
import { readTableBytes } from '../../storage/table-bytes.ts'
import { createCompletionPace } from './completion-pace.ts'
import { createHoldBudget, type HoldBudget } from './hold-budget.ts'
import {
  initialState,
  isWaitingForMore,
  transition,
  type ServedPlanEffect,
  type ServedPlanEvent,
  type ServedPlanState,
  type TablesToRead,
} from './served-plan-state.ts'
import { wakeReader } from '../setup/wake-reader.ts'

/** Tables to be read count as large above this many bytes in total. */
const SMALL_BYTES = 8 * 1024 * 1024

export interface ChangeOfPlan {
  /** Enum labels may have been renamed. */
  readonly isTypeAltered: boolean
  /**
   * Row changes were missed: nothing is served until their tables have been read again, however long it takes, because devices would lose the rows. Only tables
   * that users' open transactions block are waited for at most some seconds.
   */
  readonly hasMissed: boolean
  /** Whether checkpoints wait for tables that devices do not have yet. */
  readonly waitsForNew: boolean
}

export interface ServedPlanOptions {
  readonly pool: Pool
  /** Connects as `holdfast_reader`. */
  readonly readerUrl: string
  /** Rows per backfill chunk while serving. */
  readonly fillChunkRows?: number | undefined
  readonly logger: Logger
  readonly classes: ClassLimits
  /** Sets what streams follow; `undefined` holds all checkpoints. */
  readonly serve: (active: ActivePlan | undefined) => void
  /** Called with each new plan, even if parts of it cannot be served yet. */
  readonly onPlan: (plan: SyncPlan) => void
  /** Called when cached bucket ids may belong to dropped definitions. */
  readonly forgetBuckets: () => void
}

/** State left by the previous process. */
interface Resumed {
  readonly state: ServedPlanState
  readonly holds: HoldBudget
}

/** The newest plan and what is stored of it. */
interface Stored {
  readonly plan: SyncPlan
  readonly kept: readonly StoredDefinition[]
  /** Older definitions that devices keep until their replacements are filled. */
  readonly fallbacks: readonly FallbackDefinition[]
}

/** The plan that devices follow, including definitions that are still being filled. Performs the effects that `served-plan-state.ts` decides. */
export class ServedPlan implements AsyncDisposable {
  readonly fill: BackgroundFill
  readonly #options: ServedPlanOptions
  readonly #pace = createCompletionPace(() => performance.now())
  readonly #holds: HoldBudget
  #state: ServedPlanState
  #stored: Stored
  #active: ActivePlan
  /** Oids of tables that devices may have had before the newest plan. At startup all tables, because the previous process may have served any. */
  #served: ReadonlySet<number>
  #holdTimer: NodeJS.Timeout | undefined
  /** Wakes the reader when the filled definitions have waited long enough. */
  #paceTimer: NodeJS.Timeout | undefined
  /** Time of the last check for room for omitted classes. */
  #countedAt = Number.NEGATIVE_INFINITY

  /**
   * Nothing is served before all tables have been read for the first time, however long it takes, because devices that were there before would lose rows. Only
   * tables that users' open transactions block are waited for at most some seconds.
   *
   * @param stored - complete definitions of `plan`; `undefined` to look them up and fill missing ones
   */
  static async open(
    options: ServedPlanOptions,
    plan: SyncPlan,
    position: Lsn,
    stored: readonly StoredDefinition[] | undefined,
  ): Promise<ServedPlan> {
    const { pool } = options
    // Until the first read ends, devices keep what the previous process sent them.
    const opened = new ServedPlan(options, plan, stored ?? [], {
      state: initialState(await readIsFilling(pool)),
      holds: createHoldBudget(() => performance.now(), await readHold(pool)),
    })
    await opened.#open(position, stored !== undefined)
    return opened
  }

  private constructor(options: ServedPlanOptions, plan: SyncPlan, kept: readonly StoredDefinition[], resumed: Resumed) {
    const { pool, readerUrl, logger, fillChunkRows } = options
    this.#options = options
    this.#state = resumed.state
    this.#served = new Set(plan.tables.map(({ oid }) => oid))
    this.#holds = resumed.holds
    this.#stored = { plan, kept, fallbacks: [] }
    this.#active = activatePlan(plan, kept)
    this.fill = new BackgroundFill({
      pool,
      url: readerUrl,
      onBlocked: (definitions, how) => void this.#dispatch({ kind: 'blocked', definitions, ...how }),
      chunkRows: fillChunkRows,
      logger,
    })
  }

  /** The plan for the change reader: includes definitions being filled. */
  get active(): ActivePlan {
    return this.#active
  }
  /** Whether some definition still lacks rows. */
  get isFilling(): boolean {
    return this.#state.unfilled.size > 0
  }

  async #open(position: Lsn, isComplete: boolean): Promise<void> {
    const { plan } = this.#stored
    if (!isComplete) await this.#settle(plan, position, false)
    await this.#activate()
    this.#options.onPlan(plan)
    await this.#begin()
  }

  /** Stops serving because policies may have changed, until {@link ServedPlan.change} or {@link ServedPlan.resume}. */
  pause(): void {
    void this.#dispatch({ kind: 'paused' })
  }

  /** Serves the current plan again: the change that {@link ServedPlan.pause} waited for does not affect it. */
  resume(): Promise<void> {
    return this.#dispatch({ kind: 'resumed' })
  }

  /**
   * Switches to a new plan after policies, tables or columns have changed: creates missing definitions and drops those that no policy allows any more.
   *
   * @param position - the log contains every change committed before it
   */
  async change(next: SyncPlan, position: Lsn, { isTypeAltered, hasMissed, waitsForNew }: ChangeOfPlan): Promise<void> {
    this.pause()
    await this.fill.stop()
    await this.#recordFilled()
    if (hasMissed) await this.#dispatch({ kind: 'changes missed' })
    const { version } = this.#active.plan
    this.#served = servedTables(this.#active, this.#served)
    const numbers = this.#stored.kept.map(({ number }) => number).join()
    await this.#settle(next, position, isTypeAltered)
    await this.#activate()
    if (!waitsForNew) await this.#dispatch({ kind: 'deferred', definitions: this.#newDefinitions() })
    this.#options.onPlan(next)
    if (version !== next.version || numbers !== this.#stored.kept.map(({ number }) => number).join()) {
      this.#options.logger.log('info', 'policies were compiled again', {
        tables: next.tables.length,
        refused: next.refused.length,
        toFill: this.#state.unfilled.size,
      })
    }
    await this.#begin()
  }

  /** Serves the definitions that have been filled, together with those due shortly. @returns whether {@link ServedPlan.active} has changed */
  async complete(): Promise<boolean> {
    await this.#dispatch({ kind: 'filled', definitions: this.fill.chunks.takeCompleted() })
    if (this.#state.filled.length === 0 || this.#waitsForMore()) return false
    await this.#recordFilled()
    const { kept, fallbacks } = this.#stored
    const done = fallbacks.filter((one) => {
      const replaced = kept.find(({ id }) => id === one.for)
      return replaced === undefined || !this.#state.unfilled.has(replaced.number)
    })
    this.#stored = { ...this.#stored, fallbacks: fallbacks.filter((one) => !done.includes(one)) }
    await this.#activate()
    this.fill.chunks.use(this.#active)
    await this.#dispatch({ kind: 'completed' })
    await this.#drop(done.map((one) => one.stored))
    return true
  }

  /** Adds omitted access classes for which others have made room. Checks only from time to time. @returns whether {@link ServedPlan.active} has changed */
  async recountClasses(): Promise<boolean> {
    const now = performance.now()
    const { recountMs = CLASS_RECOUNT_MS } = this.#options.classes
    if (now - this.#countedAt < recountMs) return false
    this.#countedAt = now
    if (!(await haveRoom(this.#options.pool, this.#active))) return false
    await this.#activate()
    this.fill.chunks.use(this.#active)
    await this.#dispatch({ kind: 'activated' })
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatch({ kind: 'closed' })
    await this.fill[Symbol.asyncDispose]()
  }

  /** Performs effects synchronously up to the first asynchronous one. */
  async #dispatch(event: ServedPlanEvent): Promise<void> {
    const { state, effects } = transition(this.#state, event)
    this.#state = state
    for (const effect of effects) {
      const done = this.#perform(effect)
      if (done) await done
    }
  }

  #perform(effect: ServedPlanEffect): Promise<void> | undefined {
    const { pool, logger, serve } = this.#options
    if (typeof effect === 'object') return this.#beginHold(effect)
    switch (effect) {
      case 'stop timers':
        this.#endHold()
        this.#stopPaceTimer()
        return undefined
      case 'serve nothing':
        this.#endHold()
        serve(undefined)
        return undefined
      case 'serve':
        this.#endHold()
        serve(this.#active)
        return undefined
      case 'log unfilled':
        logger.log('info', 'tables are read while everything else goes on', { definitions: this.#state.unfilled.size })
        return undefined
      case 'wake reader':
        void wakeReader(this.#options)
        return undefined
      case 'measure tables':
        return this.#measureTables()
      case 'record refill':
        return writeFilling(pool)
      case 'record first fill':
        return writeFirstFilled(pool)
      case 'record no hold':
        return writeHold(pool, this.#holds.leftMs, 0)
    }
  }

  /** Whether to delay serving filled definitions, to serve them together with others that are nearly filled. */
  #waitsForMore(): boolean {
    if (!isWaitingForMore(this.#state)) return false
    const waitMs = this.#pace.waitMs()
    if (waitMs === 0) return false
    this.#paceTimer ??= setTimeout(() => {
      this.#paceTimer = undefined
      void wakeReader(this.#options)
    }, waitMs)
    return true
  }

  /** Records the filled definitions, which can then be served. */
  async #recordFilled(): Promise<void> {
    this.#stopPaceTimer()
    const { filled } = this.#state
    if (filled.length === 0) return
    await writeFilled(this.#options.pool, filled)
    await this.#dispatch({ kind: 'recorded' })
    this.#pace.used(!this.isFilling)
  }

  async #begin(): Promise<void> {
    await this.resume()
    if (this.isFilling) await this.fill.start(this.#active, this.#state.unfilled)
  }

  async #activate(): Promise<void> {
    const { pool, classes } = this.#options
    const { kept, fallbacks } = this.#stored
    const all = [...kept, ...fallbacks.map((one) => one.stored)]
    const plan = withFallbacks(this.#stored.plan, fallbacks)
    this.#active = activatePlan(plan, all, new Set(this.#state.unfilled.keys()), classes)
    await loadClasses(pool, this.#active)
  }

  /** Finds the stored definitions of a plan and creates missing ones, to be filled. */
  async #settle(next: SyncPlan, position: Lsn, isTypeAltered: boolean): Promise<void> {
    const settled = await settleDefinitions(this.#options.pool, next, position, isTypeAltered)
    this.#stored = { plan: next, kept: settled.kept, fallbacks: settled.fallbacks }
    await this.#dispatch({ kind: 'settled', unfilled: settled.unfilled })
    await this.#drop(settled.superseded)
  }

  async #drop(definitions: readonly StoredDefinition[]): Promise<void> {
    await dropDefinitions(
      this.#options.pool,
      definitions.map(({ number }) => number),
    )
    this.#options.forgetBuckets()
  }

  /** Returns the unfilled definitions of tables that devices have not had before. */
  #newDefinitions(): readonly number[] {
    const tables = [...this.#active.tables].filter(([oid]) => !this.#served.has(oid))
    return tables.flatMap(([, { definitions }]) =>
      definitions.filter(({ isUnfilled }) => isUnfilled).map(({ stored }) => stored.number),
    )
  }

  async #measureTables(): Promise<void> {
    const { unfilled, late } = this.#state
    const oids = [...this.#active.tables.values()]
      .filter(({ definitions }) =>
        definitions.some(({ stored: { number } }) => unfilled.has(number) && !late.has(number)),
      )
      .map(({ table }) => table.oid)
    const isLarge = (await readTableBytes(this.#options.pool, oids)) > SMALL_BYTES
    await this.#dispatch({ kind: 'measured', areNew: !oids.some((oid) => this.#served.has(oid)), isLarge })
  }

  /** Also stores the hold, so that after a kill the next process does not start with the full time again. */
  async #beginHold(tables: TablesToRead): Promise<void> {
    const holdMs = this.#holds.begin(tables)
    clearTimeout(this.#holdTimer)
    this.#holdTimer = setTimeout(() => void this.#dispatch({ kind: 'hold expired' }), holdMs)
    await writeHold(this.#options.pool, this.#holds.leftMs, holdMs)
  }

  #endHold(): void {
    clearTimeout(this.#holdTimer)
    this.#holds.end()
  }

  #stopPaceTimer(): void {
    clearTimeout(this.#paceTimer)
    this.#paceTimer = undefined
  }
}

/** Returns the oids of tables that devices have, or had and are waiting for again. */
function servedTables({ tables }: ActivePlan, before: ReadonlySet<number>): ReadonlySet<number> {
  return new Set(
    [...tables]
      .filter(([oid, { definitions }]) => before.has(oid) || definitions.some(({ isUnfilled }) => !isUnfilled))
      .map(([oid]) => oid),
  )
}
