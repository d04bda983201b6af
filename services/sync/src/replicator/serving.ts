import type { Logger } from '@holdfast/foundation'
import type { SyncPlan } from '@holdfast/policy'
import type { Pool } from '@holdfast/postgres'
import type { Lsn } from '@holdfast/replication'
import { haveRoom } from '../buckets/access-classes.ts'
import { activatePlan, type ActivePlan, type ClassLimits } from '../buckets/active-plan.ts'
import { loadClasses } from '../buckets/class-origins.ts'
import { createBackgroundFill, type BackgroundFill, type Blocked } from '../fill/background-fill.ts'
import { settleDefinitions } from '../fill/settle-definitions.ts'
import { withFallbacks, type FallbackDefinition } from '../fill/fallback-definitions.ts'
import { BLOCKED_MS, CLASS_RECOUNT_MS } from '../limits.ts'
import { dropDefinitions, type StoredDefinition } from '../storage/bucket-storage.ts'
import {
  readHold,
  readIsFilling,
  readServedTables,
  writeFilled,
  writeFilling,
  writeFirstFilled,
  writeHold,
} from '../storage/fills.ts'
import { readTableBytes } from '../storage/table-bytes.ts'
import { createCompletionPace } from './completion-pace.ts'
import { createHoldBudget } from './hold-budget.ts'
import { wakeReader } from './wake-reader.ts'

/** Bytes of the tables to be read, above which they are large. */
const SMALL_BYTES = 8 * 1024 * 1024

/** The definitions that are served, and those on their way to be. */
export interface Serving extends AsyncDisposable {
  /** For the change reader: also definitions that are being filled. */
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
  const serving = new PlanServing(options, plan, stored ?? [], await readIsFilling(options.pool))
  await serving.open(position, stored !== undefined)
  return serving
}

/** Whether checkpoints are published, and what they wait for. */
type Publishing =
  /** Nothing leaves: the plan that there is may not be in force any more. */
  | { readonly kind: 'paused' }
  /** They wait for rows that are being read, and not for longer than the timer. Without one: for all rows, however long that takes. */
  | { readonly kind: 'held'; readonly timer: NodeJS.Timeout | undefined }
  | { readonly kind: 'served' }

class PlanServing implements Serving {
  readonly fill: BackgroundFill
  readonly #options: ServingOptions
  /** The newest plan. */
  #plan: SyncPlan
  /** The stored definitions of {@link #plan}. */
  #kept: readonly StoredDefinition[]
  /** Older definitions that devices have until those that replace them are filled. */
  #fallbacks: readonly FallbackDefinition[] = []
  #unfilled = new Map<number, readonly string[] | null>()
  #active: ActivePlan
  #publishing: Publishing = { kind: 'paused' }
  /** Definitions that are being filled and that checkpoints go on without: nothing waits for them again. */
  readonly #late = new Set<number>()
  /** Definitions that are filled, and not in use yet. */
  #filled: number[] = []
  readonly #pace = createCompletionPace(() => performance.now())
  /** Wakes the reader when the filled ones have waited long enough. */
  #paceTimer: NodeJS.Timeout | undefined
  #holds = createHoldBudget(() => performance.now())
  /** For how long checkpoints wait at most by what is noted for the next process; 0: not at all. */
  #notedHoldMs = 0
  /** Oids of the tables of which devices have had something. */
  #served: ReadonlySet<number> = new Set()
  /** Whether tables are read for the first time, or again after changes of them were missed. */
  #holdsUntilFilled: boolean
  /** When it was last looked whether there is room for classes that are left out. */
  #countedAt = Number.NEGATIVE_INFINITY

  constructor(options: ServingOptions, plan: SyncPlan, stored: readonly StoredDefinition[], holdsUntilFilled: boolean) {
    const { pool, readerUrl, logger, fillChunkRows } = options
    this.#options = options
    this.#plan = plan
    this.#kept = stored
    this.#holdsUntilFilled = holdsUntilFilled
    this.#active = activatePlan(plan, stored)
    this.fill = createBackgroundFill({
      pool,
      url: readerUrl,
      onBlocked: (definitions, how) => this.#onBlocked(definitions, how),
      chunkRows: fillChunkRows,
      logger,
    })
  }

  get active(): ActivePlan {
    return this.#active
  }
  get isFilling(): boolean {
    return this.#unfilled.size > 0
  }

  /** @param isComplete - the definitions that were given are those of the plan, complete */
  async open(position: Lsn, isComplete: boolean): Promise<void> {
    // What devices had before the start, they keep until it is read again.
    this.#served = await readServedTables(this.#options.pool)
    this.#holds = createHoldBudget(() => performance.now(), await readHold(this.#options.pool))
    if (!isComplete) await this.#settle(this.#plan, position, false)
    await this.#activate()
    this.#options.onPlan(this.#plan)
    await this.#begin()
  }

  pause(): void {
    this.#stopTimer()
    this.#publishing = { kind: 'paused' }
    this.#options.serve(undefined)
  }

  async resume(): Promise<void> {
    this.#publishing = { kind: 'held', timer: undefined }
    if (this.#unfilled.size === 0) await this.#endFirst()
    if (this.#isAllLate()) {
      this.#release()
      await this.#noteHold(0)
    } else if (!this.#holdsUntilFilled) await this.#holdCheckpoints()
  }

  async change(next: SyncPlan, position: Lsn, { isTypeAltered, hasMissed, waitsForNew }: ChangeOfPlan): Promise<void> {
    const { pool, logger } = this.#options
    this.pause()
    await this.fill.stop()
    await this.#noteFilled()
    if (hasMissed && !this.#holdsUntilFilled) {
      await writeFilling(pool)
      this.#holdsUntilFilled = true
    }
    const { version } = this.#active.plan
    this.#served = servedTables(this.#active)
    const numbers = this.#kept.map(({ number }) => number).join()
    await this.#settle(next, position, isTypeAltered)
    await this.#activate()
    if (!waitsForNew) this.#addLateTables()
    this.#options.onPlan(next)
    if (version !== next.version || numbers !== this.#kept.map(({ number }) => number).join()) {
      logger.log('info', 'policies were compiled again', {
        tables: next.tables.length,
        refused: next.refused.length,
        toFill: this.#unfilled.size,
      })
    }
    await this.#begin()
  }

  async complete(): Promise<boolean> {
    this.#filled.push(...this.fill.takeCompleted())
    if (this.#filled.length === 0 || this.#waitsForMore()) return false
    await this.#noteFilled()
    const done = this.#fallbacks.filter((one) => {
      const replaced = this.#kept.find(({ id }) => id === one.for)
      return replaced === undefined || !this.#unfilled.has(replaced.number)
    })
    this.#fallbacks = this.#fallbacks.filter((one) => !done.includes(one))
    await this.#activate()
    this.fill.use(this.#active)
    if (this.#unfilled.size === 0) await this.#endFirst()
    this.#serveAgain()
    if (this.#publishing.kind === 'served') await this.#noteHold(0)
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
    this.fill.use(this.#active)
    this.#serveAgain()
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopTimer()
    clearTimeout(this.#paceTimer)
    await this.fill[Symbol.asyncDispose]()
  }

  /** Whether filled definitions are put into use later: together with the last one that is waited for, or after a while. */
  #waitsForMore(): boolean {
    const filled = new Set(this.#filled)
    const isWaitedFor = (number: number): boolean => !this.#hasTimer() || !this.#late.has(number)
    if ([...this.#unfilled.keys()].every((number) => filled.has(number) || !isWaitedFor(number))) return false
    const waitMs = this.#pace.waitMs()
    if (waitMs === 0) return false
    this.#paceTimer ??= setTimeout(() => {
      this.#paceTimer = undefined
      void wakeReader(this.#options)
    }, waitMs)
    return true
  }

  /** Records a filled definition; it may come into use. */
  async #noteFilled(): Promise<void> {
    clearTimeout(this.#paceTimer)
    this.#paceTimer = undefined
    if (this.#filled.length === 0) return
    await writeFilled(this.#options.pool, this.#filled)
    for (const number of this.#filled) this.#unfilled.delete(number)
    this.#filled = []
    this.#pace.used(this.#unfilled.size === 0)
  }

  async #begin(): Promise<void> {
    await this.resume()
    if (this.#unfilled.size > 0) await this.fill.start(this.#active, this.#unfilled)
  }

  async #activate(): Promise<void> {
    const { pool, classes } = this.#options
    const all = [...this.#kept, ...this.#fallbacks.map((one) => one.stored)]
    const plan = withFallbacks(this.#plan, this.#fallbacks)
    this.#active = activatePlan(plan, all, new Set(this.#unfilled.keys()), classes)
    await loadClasses(pool, this.#active)
  }

  /** Finds the stored definitions of a plan, and creates those that are missing, to be filled. */
  async #settle(next: SyncPlan, position: Lsn, isTypeAltered: boolean): Promise<void> {
    const settled = await settleDefinitions(this.#options.pool, next, position, isTypeAltered)
    this.#kept = settled.kept
    this.#unfilled = settled.unfilled
    this.#fallbacks = settled.fallbacks
    this.#plan = next
    await this.#drop(settled.superseded)
  }

  async #drop(definitions: readonly StoredDefinition[]): Promise<void> {
    await dropDefinitions(
      this.#options.pool,
      definitions.map(({ number }) => number),
    )
    this.#options.forgetBuckets()
  }

  /** All tables have been read: what comes later waits for a limited time only. */
  async #endFirst(): Promise<void> {
    if (!this.#holdsUntilFilled) return
    await writeFirstFilled(this.#options.pool)
    this.#holdsUntilFilled = false
  }

  /** Checkpoints do not wait for tables that were not served before. */
  #addLateTables(): void {
    for (const [oid, { definitions }] of this.#active.tables) {
      if (this.#served.has(oid)) continue
      for (const { stored, isUnfilled } of definitions) if (isUnfilled) this.#late.add(stored.number)
    }
  }

  #isAllLate(): boolean {
    return [...this.#unfilled.keys()].every((number) => this.#late.has(number))
  }

  /** A user's transaction that is forgotten must not hold everybody's checkpoints. */
  #onBlocked(definitions: Iterable<number>, { isLocked, forMs }: Blocked): void {
    if (forMs >= BLOCKED_MS || (isLocked && !this.#holdsUntilFilled)) this.#goOnWithout(definitions)
  }

  /** Checkpoints wait no longer for some definitions. */
  #goOnWithout(definitions: Iterable<number>): void {
    const waitedFor = [...definitions].filter((number) => !this.#late.has(number))
    if (waitedFor.length === 0) return
    for (const number of waitedFor) this.#late.add(number)
    // The others may all be filled, and wait for these.
    if (this.#filled.length > 0) void wakeReader(this.#options)
    if (this.#publishing.kind !== 'held' || !this.#isAllLate()) return
    this.#options.logger.log('info', 'tables are read while everything else goes on', {
      definitions: this.#unfilled.size,
    })
    this.#release()
  }

  async #holdCheckpoints(): Promise<void> {
    const tables = [...this.#active.tables.values()].filter(({ definitions }) =>
      definitions.some(({ stored: { number } }) => this.#unfilled.has(number) && !this.#late.has(number)),
    )
    const bytes = await readTableBytes(
      this.#options.pool,
      tables.map(({ table }) => table.oid),
    )
    if (this.#publishing.kind !== 'held') return
    const holdMs = this.#holds.begin({
      areNew: !tables.some(({ table }) => this.#served.has(table.oid)),
      isLarge: bytes > SMALL_BYTES,
    })
    this.#publishing = { kind: 'held', timer: setTimeout(() => this.#goOnWithout(this.#unfilled.keys()), holdMs) }
    await this.#noteHold(holdMs)
  }

  /** A process that is killed while checkpoints wait must not leave the next one all of the time again. */
  async #noteHold(holdMs: number): Promise<void> {
    if (holdMs === 0 && this.#notedHoldMs === 0) return
    this.#notedHoldMs = holdMs
    await writeHold(this.#options.pool, this.#holds.leftMs, holdMs)
  }

  /** After {@link #activate}, when nothing else has changed. */
  #serveAgain(): void {
    if (this.#publishing.kind === 'served' || (this.#publishing.kind === 'held' && this.#isAllLate())) this.#release()
  }

  #release(): void {
    this.#stopTimer()
    this.#publishing = { kind: 'served' }
    this.#options.serve(this.#active)
  }

  #hasTimer(): boolean {
    return this.#publishing.kind === 'held' && this.#publishing.timer !== undefined
  }

  #stopTimer(): void {
    if (this.#publishing.kind === 'held') clearTimeout(this.#publishing.timer)
    this.#holds.end()
  }
}

/** Oids of the tables of which devices have some definition. */
function servedTables({ tables }: ActivePlan): ReadonlySet<number> {
  return new Set(
    [...tables].filter(([, { definitions }]) => definitions.some(({ isUnfilled }) => !isUnfilled)).map(([oid]) => oid),
  )
}
