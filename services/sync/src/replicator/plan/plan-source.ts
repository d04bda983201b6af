import { backoffMs, delay, errorMessage, type Logger } from '@holdfast/foundation'
import { sql, type Queryable } from '@holdfast/postgres'
import { parseSnapshot, sawTransaction, type Snapshot } from '../../buckets/snapshot.ts'
import { APART_COMPILE_MAX_MS, APART_COMPILE_MS, PARTIAL_RETRY_MAX_MS, PARTIAL_RETRY_MS } from '../../limits.ts'
import { keepKnownTables } from './keep-known-tables.ts'
import type { PublishedPlan } from './publish-tables.ts'

/** Poll interval in ms until queries see a transaction that the stream has delivered. */
const VISIBLE_POLL_MS = 5

/** The current plan and the transactions that its compilation has seen. */
export interface PlanSource extends AsyncDisposable {
  readonly current: PublishedPlan
  /**
   * Whether the compilation read a catalog that includes all these transactions. During a migration the catalog is ahead of the stream: changes that a
   * compilation has already seen need no recompilation when the stream delivers them.
   */
  saw(xids: readonly number[]): boolean
  /**
   * Recompiles once queries see these transactions, which appear in the write-ahead log slightly before they are visible. Uses the result of a background
   * compilation if that has seen them.
   *
   * @param isFresh - whether to ignore compilations that began earlier
   * @param only - oids of the tables to keep; others are left out until a background compilation adds them
   */
  compileAfter(xids: readonly number[], isFresh: boolean, only?: ReadonlySet<number>): Promise<PublishedPlan>
  /** Compiles in the background, `quietMs` after the last call. For changes that affect no device. */
  compileLater(): void
  /** Compiles in the background sooner. For changes that may add a table to devices. */
  compileSoon(): void
  /** Returns whether no background compilation is due, running or waiting to be taken. Starts a due one immediately. */
  isSettled(): boolean
  /** Switches to the plan compiled in the background. @returns `undefined` if there is none or it changes nothing */
  takeCompiled(): PublishedPlan | undefined
}

export interface PlanSourceOptions {
  readonly db: Queryable
  readonly compile: (signal: AbortSignal) => Promise<PublishedPlan>
  /** Called when a compiled plan can be taken. */
  readonly onCompiled: () => void
  readonly signal: AbortSignal
  readonly logger: Logger
  /** Delay in ms before a background compilation after the last change that affects no device, and maximum delay in ms after the first. */
  readonly quietMs: number
  readonly quietMaxMs: number
}

interface Compilation extends PublishedPlan {
  readonly snapshot: Snapshot
}

/** A compilation in the background. */
interface Running {
  readonly ending: AbortController
  readonly done: Promise<void>
  /** Visible transactions; `undefined` until reading has started. */
  snapshot: Snapshot | undefined
}

function hasSeen({ snapshot }: { readonly snapshot: Snapshot | undefined }, xids: readonly number[]): boolean {
  return snapshot !== undefined && xids.every((xid) => sawTransaction(snapshot, xid))
}

/** Compiles for the first time. */
export async function openPlanSource(options: PlanSourceOptions): Promise<PlanSource> {
  const source = new CompilingSource(options, await compileFrom(options, options.signal))
  source.retryIfPartial()
  return source
}

async function compileFrom(
  { db, compile }: PlanSourceOptions,
  signal: AbortSignal,
  onSnapshot: (snapshot: Snapshot) => void = () => undefined,
): Promise<Compilation> {
  // Taken before the catalog is read, so the compilation sees at least these transactions.
  const snapshot = await readSnapshot(db)
  onSnapshot(snapshot)
  return { ...(await compile(signal)), snapshot }
}

class CompilingSource implements PlanSource {
  readonly #options: PlanSourceOptions
  /** The current plan. */
  #current: Compilation
  /** Compiled in the background but not taken yet. */
  #compiled: Compilation | undefined
  #running: Running | undefined
  #timer: NodeJS.Timeout | undefined
  /** Time of the first change that waits for a background compilation. */
  #waitingSinceMs: number | undefined
  /** Time of the first waiting change that may add a table. */
  #soonSinceMs: number | undefined
  /** Consecutive partial plans. */
  #partial = 0
  /** Whether a background compilation failed midway, after which definitions may be void without the reader knowing. */
  #hasFailed = false

  constructor(options: PlanSourceOptions, first: Compilation) {
    this.#options = options
    this.#current = first
  }

  get current(): PublishedPlan {
    return this.#current
  }

  saw(xids: readonly number[]): boolean {
    return hasSeen(this.#current, xids)
  }

  async compileAfter(xids: readonly number[], isFresh: boolean, only?: ReadonlySet<number>): Promise<PublishedPlan> {
    const compiled = await this.#compileAfter(xids, isFresh)
    const left = only === undefined ? compiled : keepKnownTables(compiled, only)
    if (left === compiled) return compiled
    this.#current = left
    this.compileSoon()
    return left
  }

  async #compileAfter(xids: readonly number[], isFresh: boolean): Promise<Compilation> {
    const running = this.#running
    if (running && (isFresh || !hasSeen(running, xids))) running.ending.abort(new Error('policies are compiled again'))
    await running?.done
    const compiled = this.#compiled
    if (!isFresh && compiled && hasSeen(compiled, xids)) {
      this.#compiled = undefined
      this.#hasFailed = false
      return (this.#current = compiled)
    }
    // A detected loss persists across compilations.
    const hasMissed = compiled?.hasMissed === true
    this.#compiled = undefined
    const { db, signal } = this.#options
    while (!xids.every(sawBy(await readSnapshot(db)))) await delay(VISIBLE_POLL_MS, signal)
    this.#stopWaiting()
    const next = await compileFrom(this.#options, signal)
    this.#hasFailed = false
    this.#current = { ...next, hasMissed: next.hasMissed || hasMissed }
    this.retryIfPartial()
    return this.#current
  }

  compileLater(): void {
    const { quietMs, quietMaxMs } = this.#options
    const now = performance.now()
    this.#waitingSinceMs ??= now
    const soonMs = this.#soonSinceMs === undefined ? quietMs : Math.min(quietMs, APART_COMPILE_MS)
    const dueMs = Math.min(this.#waitingSinceMs + quietMaxMs, (this.#soonSinceMs ?? now) + APART_COMPILE_MAX_MS)
    this.#startAfter(Math.min(soonMs, Math.max(0, dueMs - now)))
  }

  compileSoon(): void {
    this.#soonSinceMs ??= performance.now()
    this.compileLater()
  }

  isSettled(): boolean {
    if (this.#waitingSinceMs !== undefined && !this.#running) this.#startAfter(0)
    return this.#waitingSinceMs === undefined && !this.#running && !this.#compiled
  }

  takeCompiled(): PublishedPlan | undefined {
    const [before, compiled] = [this.#current, this.#compiled]
    if (!compiled) return undefined
    const isUnchanged = compiled.plan.version === before.plan.version && !compiled.hasMissed && !this.#hasFailed
    this.#compiled = undefined
    this.#hasFailed = false
    this.#current = compiled
    return isUnchanged ? undefined : compiled
  }

  /** Recompiles a partial plan, one that lacks locked tables, in the background with increasing delays. */
  retryIfPartial(): void {
    const { plan } = this.#compiled ?? this.#current
    if (!plan.isPartial) this.#partial = 0
    else if (this.#timer === undefined)
      this.#startAfter(PARTIAL_RETRY_MS + backoffMs(this.#partial++, PARTIAL_RETRY_MS, PARTIAL_RETRY_MAX_MS))
  }

  #startAfter(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      const isSoon = this.#soonSinceMs !== undefined
      this.#stopWaiting()
      if (!this.#running) this.#start()
      else if (isSoon) this.compileSoon()
      else this.compileLater()
    }, ms)
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waitingSinceMs = undefined
    this.#soonSinceMs = undefined
  }

  #start(): void {
    const ending = new AbortController()
    const signal = AbortSignal.any([ending.signal, this.#options.signal])
    const compiling = compileFrom(this.#options, signal, (snapshot) => (running.snapshot = snapshot))
    const running: Running = { ending, snapshot: undefined, done: this.#finish(compiling, signal) }
    this.#running = running
  }

  async #finish(compiling: Promise<Compilation>, signal: AbortSignal): Promise<void> {
    try {
      const next = await compiling
      // A compilation that detected a loss must not be dropped.
      this.#compiled = { ...next, hasMissed: next.hasMissed || this.#compiled?.hasMissed === true }
      this.retryIfPartial()
      this.#options.onCompiled()
    } catch (error) {
      this.#hasFailed = true
      if (signal.aborted) return
      this.#options.logger.log('info', 'policies could not be compiled in the background', {
        reason: errorMessage(error),
      })
      this.#startAfter(PARTIAL_RETRY_MAX_MS)
    } finally {
      this.#running = undefined
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopWaiting()
    this.#running?.ending.abort(new Error('the change reader ends'))
    await this.#running?.done
    this.#stopWaiting()
  }
}

function sawBy(snapshot: Snapshot): (xid: number) => boolean {
  return (xid) => sawTransaction(snapshot, xid)
}

async function readSnapshot(db: Queryable): Promise<Snapshot> {
  const [row] = await db.query<{ snapshot: string }>(sql`select pg_current_snapshot()::text as snapshot`)
  return parseSnapshot(row?.snapshot ?? '')
}
