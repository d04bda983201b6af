import type { Logger } from '@holdfast/foundation'
import type { SyncPlan } from '@holdfast/policy'
import { SQLSTATE, sql, sqlstateOf, type Pool } from '@holdfast/postgres'
import type { Lsn } from '@holdfast/replication'
import { haveRoom } from '../buckets/access-classes.ts'
import { activatePlan, type ActivePlan, type ClassLimits } from '../buckets/active-plan.ts'
import { loadClasses } from '../buckets/class-origins.ts'
import { contentOf, onlyAddsColumns } from '../storage/definition-content.ts'
import { dropDefinitions, readDefinitions, readShapes, VOID, type StoredDefinition } from '../storage/bucket-storage.ts'
import { CLASS_RECOUNT_MS, SIZE_LOCK_TIMEOUT_MS } from '../limits.ts'
import { voidRenamedLabels } from '../storage/enum-labels.ts'
import {
  insertUnfilled,
  readIsFilling,
  readUnfilled,
  writeFilled,
  writeFilling,
  writeFirstFilled,
} from '../storage/fills.ts'
import { createBackgroundFill, type BackgroundFill } from '../fill/background-fill.ts'
import { findStandIns, withStandIns, type StandIn } from '../fill/stand-ins.ts'

/**
 * How long checkpoints wait for the buckets of changed policies, in milliseconds: within it, all of a change shows at one checkpoint. What takes longer is
 * filled while everything else goes on. Small tables are waited for, large ones hardly.
 */
const HOLD_SMALL_MS = 10_000
const HOLD_LARGE_MS = 300
/** Bytes of the tables to be read, above which they are large. */
const SMALL_BYTES = 8 * 1024 * 1024

/** What is served, and what is on its way to be. */
export interface Serving extends AsyncDisposable {
  /** For the change reader: also what is being filled. */
  readonly active: ActivePlan
  readonly fill: BackgroundFill
  /** Whether rows of some definition have not all been read. */
  readonly isFilling: boolean
  /** Policies may have changed: nothing leaves under the old ones until {@link Serving.change} has looked. */
  pause(): void
  /**
   * Policies, tables or columns have changed: makes what is missing, gives up what nobody may have any more.
   *
   * @param position - everything that committed before it is in the log
   * @param isTypeAltered - words of enums may have been renamed
   * @param hasMissed - changes of rows were missed: nothing is served until their tables have been read again, however long it takes, because devices
   *   would lose the rows meanwhile
   */
  change(next: SyncPlan, position: Lsn, isTypeAltered: boolean, hasMissed: boolean): Promise<void>
  /** What {@link Serving.pause} waited for is in force already: goes on with the plan that there is. */
  resume(): Promise<void>
  /** Takes into service what has been completed. @returns whether {@link Serving.active} is another one now */
  complete(): Promise<boolean>
  /**
   * Access classes are left out: takes them in as far as others have no rows any more. Looks from time to time only.
   *
   * @returns whether {@link Serving.active} is another one now
   */
  recountClasses(): Promise<boolean>
}

export interface ServingOptions {
  readonly pool: Pool
  /** Connects as `holdfast_reader`. */
  readonly readerUrl: string
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
 * @param stored - complete definitions of `plan`; when not given, they are looked up, and what is missing is filled
 *
 * Nothing is served before all tables have been read for the first time, however long it takes: devices that were there before would lose rows.
 */
export async function openServing(
  options: ServingOptions,
  plan: SyncPlan,
  position: Lsn,
  stored: readonly StoredDefinition[] | undefined,
): Promise<Serving> {
  const { pool, logger, serve } = options
  const fill = createBackgroundFill({ pool, url: options.readerUrl, onLocked: goOnWithout, logger })
  let current = plan
  let kept: readonly StoredDefinition[] = stored ?? []
  let standIns: readonly StandIn[] = []
  let unfilled = new Map<number, readonly string[] | null>()
  let active = activatePlan(plan, kept)
  let hold: NodeJS.Timeout | undefined
  /** Definitions that are being filled and that checkpoints go on without: nothing waits for them again. */
  const late = new Set<number>()
  let isPaused = false
  /** When it was last looked whether there is room for classes that are left out. */
  let countedAt = Number.NEGATIVE_INFINITY
  let holdsUntilFilled = await readIsFilling(pool)

  async function activate(): Promise<void> {
    const all = [...kept, ...standIns.map((one) => one.stored)]
    active = activatePlan(withStandIns(current, standIns), all, new Set(unfilled.keys()), options.classes)
    await loadClasses(pool, active)
  }

  function release(): void {
    clearTimeout(hold)
    hold = undefined
    serve(active)
  }

  function isAllLate(): boolean {
    return [...unfilled.keys()].every((number) => late.has(number))
  }

  /** Checkpoints wait no longer for some definitions. */
  function goOnWithout(definitions: Iterable<number>): void {
    for (const number of definitions) late.add(number)
    if (hold === undefined || !isAllLate()) return
    logger.log('info', 'tables are read while everything else goes on', { definitions: unfilled.size })
    release()
  }

  async function holdCheckpoints(): Promise<void> {
    const tables = [...active.tables.values()].filter(({ definitions }) =>
      definitions.some(({ stored: { number } }) => unfilled.has(number) && !late.has(number)),
    )
    const bytes = await sizeOf(
      pool,
      tables.map(({ table }) => table.oid),
    )
    hold = setTimeout(() => goOnWithout(unfilled.keys()), bytes > SMALL_BYTES ? HOLD_LARGE_MS : HOLD_SMALL_MS)
  }

  function pause(): void {
    isPaused = true
    clearTimeout(hold)
    hold = undefined
    serve(undefined)
  }

  /** The definitions that a plan needs, as far as they are there; those that are missing are made, to be filled. */
  async function settle(next: SyncPlan, at: Lsn, isTypeAltered: boolean): Promise<void> {
    await voidRenamedLabels(pool, isTypeAltered)
    const existing = await readDefinitions(pool)
    unfilled = await readUnfilled(pool)
    const shapes = await readShapes(
      pool,
      next.tables.map((table) => table.oid),
    )
    const wanted = new Map(
      next.tables.flatMap((table) => table.definitions.map((definition) => [definition.id, { table, definition }])),
    )
    // A column more, which no device gets through this definition, changes nothing about it.
    const isUsable = (one: StoredDefinition): boolean => {
      const oid = wanted.get(one.id)?.table.oid
      return oid !== undefined && onlyAddsColumns(one.shape, shapes.get(oid))
    }
    const found = [...new Map(existing.filter(isUsable).map((one) => [one.id, one])).values()]
    const missing = [...wanted].filter(([id]) => !found.some((one) => one.id === id))
    const made = await insertUnfilled(
      pool,
      missing.map(([id, { table, definition }]) => ({
        id,
        shape: shapes.get(table.oid) ?? VOID, // dropped meanwhile
        content: contentOf(table, definition),
      })),
      at,
    )
    for (const { number } of made) unfilled.set(number, null)
    kept = [...found, ...made]
    const served = existing.filter((one) => !kept.includes(one))
    const complete = served.filter(({ id, number }) => !unfilled.has(number) && !wanted.has(id))
    for (const number of unfilled.keys()) if (!kept.some((one) => one.number === number)) unfilled.delete(number)
    const incomplete = new Set(kept.filter(({ number }) => unfilled.has(number)).map(({ id }) => id))
    standIns = findStandIns({ candidates: complete, next, incomplete, shapes })
    current = next
    await drop(served.filter((one) => !standIns.some(({ stored: stand }) => stand.number === one.number)))
  }

  async function drop(definitions: readonly StoredDefinition[]): Promise<void> {
    await dropDefinitions(
      pool,
      definitions.map(({ number }) => number),
    )
    options.forgetBuckets()
  }

  async function change(next: SyncPlan, at: Lsn, isTypeAltered: boolean, hasMissed: boolean): Promise<void> {
    pause()
    await fill.stop()
    if (hasMissed && !holdsUntilFilled) {
      await writeFilling(pool)
      holdsUntilFilled = true
    }
    const version = active.plan.version
    const numbers = kept.map(({ number }) => number).join()
    await settle(next, at, isTypeAltered)
    await activate()
    options.onPlan(next)
    if (version !== next.version || numbers !== kept.map(({ number }) => number).join()) {
      logger.log('info', 'policies were compiled anew', {
        tables: next.tables.length,
        refused: next.refused.length,
        toFill: unfilled.size,
      })
    }
    await begin()
  }

  async function endFirst(): Promise<void> {
    if (!holdsUntilFilled) return
    await writeFirstFilled(pool)
    holdsUntilFilled = false
  }

  async function begin(): Promise<void> {
    await resume()
    if (unfilled.size > 0) await fill.start(active, unfilled)
  }

  async function resume(): Promise<void> {
    isPaused = false
    if (unfilled.size === 0) await endFirst()
    else if (holdsUntilFilled) return
    if (isAllLate()) release()
    else await holdCheckpoints()
  }

  /** After {@link activate}, when nothing else has changed. */
  function serveAgain(): void {
    if (isPaused || (unfilled.size > 0 && holdsUntilFilled)) return
    if (hold === undefined || isAllLate()) release()
  }

  if (stored) await activate()
  else await settle(plan, position, false).then(activate)
  options.onPlan(plan)
  await begin()

  return {
    get active() {
      return active
    },
    fill,
    get isFilling() {
      return unfilled.size > 0
    },
    pause,
    resume,
    change,
    async complete() {
      const completed = fill.takeCompleted()
      if (completed.length === 0) return false
      await writeFilled(pool, completed)
      for (const number of completed) unfilled.delete(number)
      const done = standIns.filter((one) => {
        const replaced = kept.find(({ id }) => id === one.for)
        return replaced === undefined || !unfilled.has(replaced.number)
      })
      standIns = standIns.filter((one) => !done.includes(one))
      await activate()
      fill.use(active)
      if (unfilled.size === 0) await endFirst()
      serveAgain()
      await drop(done.map((one) => one.stored))
      return true
    },
    async recountClasses() {
      const now = performance.now()
      if (now - countedAt < CLASS_RECOUNT_MS) return false
      countedAt = now
      if (!(await haveRoom(pool, active))) return false
      await activate()
      fill.use(active)
      serveAgain()
      return true
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(hold)
      await fill[Symbol.asyncDispose]()
    },
  }
}

/** Bytes of some tables, partitions included; infinite while a transaction of a user has one of them locked. */
export async function sizeOf(pool: Pool, oids: readonly number[]): Promise<number> {
  try {
    return await pool.transaction(async (tx) => {
      await tx.query(sql`select set_config('lock_timeout', ${`${SIZE_LOCK_TIMEOUT_MS}ms`}, true)`)
      const [row] = await tx.query<{ bytes: string }>(sql`
        select coalesce(sum((
          select coalesce(sum(pg_table_size(t.relid)), pg_table_size(o.oid)) from pg_partition_tree(o.oid) t
        )), 0)::text as bytes
          from (select unnest(${oids}::int8[])::oid) o (oid) join pg_catalog.pg_class c on c.oid = o.oid
      `)
      return Number(row?.bytes ?? 0)
    })
  } catch (error) {
    if (sqlstateOf(error) === SQLSTATE.lockNotAvailable) return Number.POSITIVE_INFINITY
    throw error
  }
}
