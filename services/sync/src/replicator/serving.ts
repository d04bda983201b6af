import type { Logger } from '@holdfast/foundation'
import type { SyncPlan } from '@holdfast/policy'
import type { Pool } from '@holdfast/postgres'
import type { Lsn } from '@holdfast/replication'
import { haveRoom } from '../buckets/access-classes.ts'
import { activatePlan, type ActivePlan, type ClassLimits } from '../buckets/active-plan.ts'
import { loadClasses } from '../buckets/class-origins.ts'
import { BackgroundFill } from '../fill/background-fill.ts'
import { settleDefinitions } from '../fill/settle-definitions.ts'
import { withFallbacks, type FallbackDefinition } from '../fill/fallback-definitions.ts'
import { CLASS_RECOUNT_MS } from '../limits.ts'
import { dropDefinitions, type StoredDefinition } from '../storage/bucket-storage.ts'
import { readHold, readIsFilling, writeFilled, writeFilling, writeFirstFilled, writeHold } from '../storage/fills.ts'
import { readTableBytes } from '../storage/table-bytes.ts'
import { createCompletionPace } from './completion-pace.ts'
import { createHoldBudget, type HoldBudget } from './hold-budget.ts'
import {
  initialState,
  isWaitingForMore,
  transition,
  type ServingEffect,
  type ServingEvent,
  type ServingState,
  type TablesToRead,
} from './serving-state.ts'
import { wakeReader } from './wake-reader.ts'

/** Bytes of the tables to be read, above which they are large. */
const SMALL_BYTES = 8 * 1024 * 1024

/** The definitions that are served, and those on their way to be. */
export interface Serving extends AsyncDisposable {
  /** For the change reader: includes definitions being filled. */
  readonly active: ActivePlan
  readonly fill: BackgroundFill
  /** Whether rows of some definition have not all been read. */
  readonly isFilling: boolean
  /** Policies may have changed: nothing leaves under the old ones until {@link Serving.change} has looked. */
  pause(): void
  /**
   * Policies, tables or columns have changed: creates missing definitions, gives up those that no policy allows any more.
   *
   * @param position - everything that committed before it is in the log
   */
  change(next: SyncPlan, position: Lsn, about: ChangeOfPlan): Promise<void>
  /** What {@link Serving.pause} waited for is in force already: goes on with the plan that there is. */
  resume(): Promise<void>
  /** Takes into service what has been completed, together with what follows shortly. @returns whether {@link Serving.active} is another one now */
  complete(): Promise<boolean>
  /**
   * Access classes are left out: takes them in as far as others have no rows any more. Looks from time to time only.
   *
   * @returns whether {@link Serving.active} is another one now
   */
  recountClasses(): Promise<boolean>
}

export interface ChangeOfPlan {
  /** Words of enums may have been renamed. */
  readonly isTypeAltered: boolean
  /**
   * Changes of rows were missed: nothing is served until their tables have been read again, however long it takes, because devices would lose the rows
   * meanwhile. Only those that open transactions of users keep from being read are not waited for longer than some seconds.
   */
  readonly hasMissed: boolean
  /** Whether checkpoints wait for tables of which devices have nothing yet. */
  readonly waitsForNew: boolean
}

export interface ServingOptions {
  readonly pool: Pool
  /** Connects as `holdfast_reader`. */
  readonly readerUrl: string
  /** Rows of a table that are read at once while this serves. */
  readonly fillChunkRows?: number | undefined
  readonly logger: Logger
  readonly classes: ClassLimits
  /** Sets what streams follow; `undefined` holds all checkpoints. */
  readonly serve: (active: ActivePlan | undefined) => void
  /** A plan is in force, whether or not all of it can be served. */
  readonly onPlan: (plan: SyncPlan) => void
  /** Bucket ids that are remembered may be those of definitions that are gone. */
  readonly forgetBuckets: () => void
}

/**
 * @param stored - complete definitions of `plan`; when not given, they are looked up, and missing ones are filled
 *
 * Nothing is served before all tables have been read for the first time, however long it takes: devices that were there before would lose rows. Only those that
 * open transactions of users keep from being read are not waited for longer than some seconds.
 */
export async function openServing(
  options: ServingOptions,
  plan: SyncPlan,
  position: Lsn,
  stored: readonly StoredDefinition[] | undefined,
): Promise<Serving> {
  const { pool } = options
  // What devices had before the start, they keep until it is read again.
  const serving = new PlanServing(options, plan, stored ?? [], {
    state: initialState(await readIsFilling(pool)),
    holds: createHoldBudget(() => performance.now(), await readHold(pool)),
  })
  await serving.open(position, stored !== undefined)
  return serving
}

/** State left by the previous process. */
interface Resumed {
  readonly state: ServingState
  readonly holds: HoldBudget
}

/** The newest plan and what is stored of it. */
interface Stored {
  readonly plan: SyncPlan
  readonly kept: readonly StoredDefinition[]
  /** Older definitions that devices have until those that replace them are filled. */
  readonly fallbacks: readonly FallbackDefinition[]
}

/** Performs the effects of `serving-state.ts`, which decides what is served and what checkpoints wait for. */
class PlanServing implements Serving {
  readonly fill: BackgroundFill
  readonly #options: ServingOptions
  readonly #pace = createCompletionPace(() => performance.now())
  readonly #holds: HoldBudget
  #state: ServingState
  #stored: Stored
  #active: ActivePlan
  /** Oids of the tables of which devices may have had something before the newest plan. At the start these are all: the process before may have served any. */
  #served: ReadonlySet<number>
  #holdTimer: NodeJS.Timeout | undefined
  /** Wakes the reader when the filled definitions have waited long enough. */
  #paceTimer: NodeJS.Timeout | undefined
  /** When it was last looked whether there is room for classes that are left out. */
  #countedAt = Number.NEGATIVE_INFINITY

  constructor(options: ServingOptions, plan: SyncPlan, kept: readonly StoredDefinition[], resumed: Resumed) {
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

  get active(): ActivePlan {
    return this.#active
  }
  get isFilling(): boolean {
    return this.#state.unfilled.size > 0
  }

  /** @param isComplete - the definitions that were given are those of the plan, complete */
  async open(position: Lsn, isComplete: boolean): Promise<void> {
    const { plan } = this.#stored
    if (!isComplete) await this.#settle(plan, position, false)
    await this.#activate()
    this.#options.onPlan(plan)
    await this.#begin()
  }

  pause(): void {
    void this.#dispatch({ kind: 'paused' })
  }

  resume(): Promise<void> {
    return this.#dispatch({ kind: 'resumed' })
  }

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

  /** Performs effects without waiting until the first one that is asynchronous. */
  async #dispatch(event: ServingEvent): Promise<void> {
    const { state, effects } = transition(this.#state, event)
    this.#state = state
    for (const effect of effects) {
      const done = this.#perform(effect)
      if (done) await done
    }
  }

  #perform(effect: ServingEffect): Promise<void> | undefined {
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

  /** Whether filled definitions are put into use later: together with the last one that is waited for, or after a while. */
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

  /** Records the filled definitions; they may come into use. */
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

  /** Finds the stored definitions of a plan, and creates those that are missing, to be filled. */
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

  /** The unfilled definitions of tables of which devices had nothing before. */
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

  /** Records the hold as well: a process that is killed while checkpoints wait must not leave the next one all of the time again. */
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

/** Oids of the tables of which devices have some definition, or may have had one and wait for the next. */
function servedTables({ tables }: ActivePlan, before: ReadonlySet<number>): ReadonlySet<number> {
  return new Set(
    [...tables]
      .filter(([oid, { definitions }]) => before.has(oid) || definitions.some(({ isUnfilled }) => !isUnfilled))
      .map(([oid]) => oid),
  )
}
