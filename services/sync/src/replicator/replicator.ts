import {
  HoldfastError,
  backoffMs,
  createPhases,
  delay,
  errorMessage,
  type Logger,
  type Phases,
} from '@holdfast/foundation'
import type { SyncPlan } from '@holdfast/policy'
import { sql, type Pool } from '@holdfast/postgres'
import {
  createSlot,
  dropSlot,
  findSlot,
  openReplicationStream,
  releaseSlot,
  type CreatedSlot,
  type Lsn,
  type ReplicationEvent,
  type ReplicationStream,
} from '@holdfast/replication'
import { withoutTooManyClasses } from '../buckets/access-classes.ts'
import type { ActivePlan, ClassLimits } from '../buckets/active-plan.ts'
import type { DependencyIndex, KeyHolder } from '../buckets/dependency-index.ts'
import type { CheckpointFeed } from '../checkpoints/checkpoint-feed.ts'
import type { Fence } from '../lease/fence.ts'
import { keepCompiled } from '../lease/keep-compiled.ts'
import { acquireLease, type Lease } from '../lease/lease.ts'
import {
  dropDefinitions,
  readDefinitions,
  readState,
  resetState,
  VOID,
  writePosition,
  type ReplicatorState,
  type StoredDefinition,
} from '../storage/bucket-storage.ts'
import { voidRenamedLabels } from '../storage/enum-labels.ts'
import { QUIET_COMPILE_MAX_MS, SNAPSHOT_BYTES_MAX } from '../limits.ts'
import { writeFilling, writeFirstFilling } from '../storage/fills.ts'
import type { FillProgress } from '../fill/fill-turns.ts'
import { createChangeReader } from './change-reader.ts'
import { ensureEvaluatorRoles } from './evaluator-roles.ts'
import { fillDefinitions } from '../fill/fill-definitions.ts'
import { readFunctionsVersion } from './functions-version.ts'
import { createLogWriter, type BatchLimits, type LogWriter } from './log-writer.ts'
import { createReaderProgress, type ReaderProgress, type ReaderState } from './reader-progress.ts'
import type { Retirement } from '../compaction/retire-buckets.ts'
import { startDueRows } from './due-rows.ts'
import { startHeartbeat, type Heartbeat } from './heartbeat.ts'
import { openPlanSource } from './plan-source.ts'
import { MISSED, PUBLICATION, publishTables, type PublishedPlan } from './publish-tables.ts'
import { openServing, sizeOf } from './serving.ts'
import type { RowEvaluator } from '../rows/row-evaluator.ts'
import { readSlotName } from './slot-name.ts'
import { watchRoles } from './watch-roles.ts'

export interface ReplicatorOptions {
  /** Superuser pool and connection string: the publication, the slot, schema `sync`. What it writes is fenced. */
  readonly pool: Pool
  readonly url: string
  /** Connects as `holdfast_reader`. */
  readonly readerPool: Pool
  readonly readerUrl: string
  /** Gets the epoch of the lease as long as this process has it. */
  readonly fence: Fence
  /** Names this process. */
  readonly instance: string
  /** Another process has the lease: nothing is served here until that is gone. */
  readonly onStandby: () => void
  readonly feed: CheckpointFeed
  readonly dependencies: DependencyIndex
  /** Compiles the policies as they are now. Gives up when the signal is aborted. */
  readonly compile: (signal: AbortSignal) => Promise<SyncPlan>
  /**
   * Prepares the database for a plan's key queries (functions that run with their owner's rights).
   *
   * @returns the plan without the tables for which Postgres refuses that
   */
  readonly prepare: (plan: SyncPlan) => Promise<SyncPlan>
  /** Rows in more access classes are left out; a table that has more from the beginning is not synced. */
  readonly classes: ClassLimits
  readonly onPlan: (plan: SyncPlan) => void
  readonly logger: Logger
  /** Tables larger than this together are read for the first time in pieces. */
  readonly snapshotBytesMax?: number
  readonly batchLimits?: BatchLimits | undefined
  /** How long after the last change of the schema that no device sees policies are compiled, in milliseconds. */
  readonly quietCompileMs: number
  readonly retirement: Pick<Retirement, 'run'>
  readonly evaluator: RowEvaluator
  /** A row was changed by somebody that says what the person of a stream has. */
  readonly onConcerned: (holder: KeyHolder, author: string) => void
}

export interface Replicator extends AsyncDisposable {
  /** Resolves when the log holds a complete first state. */
  readonly ready: Promise<void>
  /** Whether devices are being served, with nothing known to be wrong. */
  readonly isServing: boolean
  /** Whether another process reads the changes, and this one waits to take over. */
  readonly isStandby: boolean
  /** The plan that is being served; `undefined` while there is none, or it is being replaced. */
  plan(): ActivePlan | undefined
  /** Whether the policies are compiled for every change of the schema that the reader has passed; asking for it has them compiled at once. */
  isSettled(): boolean
  /** What is being read for the first time or anew. */
  readonly filling: FillProgress | undefined
  /** Why the last attempt failed, while it is being repaired; or what is known to be missing. */
  readonly problem: string | undefined
  readonly state: ReaderState
  readonly progress: ReaderProgress
}

/** Reads the change stream and keeps the log equal to the tables, for as long as the process lives. */
export function startReplicator(options: ReplicatorOptions): Replicator {
  const { logger } = options
  const stopping = new AbortController()
  const ready = Promise.withResolvers<void>()
  ready.promise.catch(() => undefined) // whoever waits for it sees the rejection; nobody has to
  let active: ActivePlan | undefined
  let problem: string | undefined
  let state: ReaderState = 'starting'
  const progress = createReaderProgress()
  let stream: ReplicationStream | undefined
  let filling = (): FillProgress | undefined => undefined
  let isSettled = (): boolean => false
  let isMissing = false
  let heartbeat: Heartbeat | undefined
  let isServing = false
  const currentProblem = (): string | undefined => problem ?? (isMissing ? MISSED : heartbeat?.problem)

  /** Waits for the right to read the slot and to write the log. */
  async function lead(): Promise<Lease> {
    const { url, instance, compile } = options
    await using compiled = keepCompiled({ compile, signal: stopping.signal, logger })
    const onCatalogChange = (): void => compiled.changed()
    return await acquireLease({ url, instance, onCatalogChange, logger }, stopping.signal, (holder) => {
      compiled.changed()
      state = 'standing by'
      problem = undefined
      active = undefined
      logger.log('info', 'another process has the lease of the operation log: this one stands by', { holder })
      options.onStandby()
    })
  }

  async function run(): Promise<void> {
    /** The stream holds what cannot be read, and would again and again. */
    let isUnreadable = false
    for (let attempt = 0; !stopping.signal.aborted; attempt++) {
      const started = Date.now()
      const phases = createPhases()
      try {
        await using lease = await lead()
        options.fence.epoch = lease.epoch
        phases.end('lease')
        state = 'starting'
        lease.lost.addEventListener('abort', () => void close(stream), { once: true })
        await runOnce(options, {
          signal: stopping.signal,
          lease,
          phases,
          isUnreadable,
          progress,
          setState: (next) => (state = next),
          setActive: (next) => {
            active = next
            if (next) options.dependencies.planChanged()
          },
          setStream: (next) => (stream = next),
          setFilling: (next) => (filling = next),
          setSettled: (next) => (isSettled = next),
          isMissing: () => isMissing,
          setMissing: (next) => (isMissing = next),
          setHeartbeat: (next) => (heartbeat = next),
          onServing: () => {
            problem = undefined
            isServing = true
            ready.resolve()
          },
        })
      } catch (error) {
        if (stopping.signal.aborted) break
        problem = errorMessage(error)
        isUnreadable = error instanceof HoldfastError && error.code === 'replication_identity_not_full'
        state = 'being repaired'
        logger.log('warn', 'the change reader is being repaired', {
          code: error instanceof HoldfastError ? error.code : undefined,
          reason: problem,
          cause: errorMessage((error as Error).cause ?? ''),
        })
        if (Date.now() - started > 30_000) attempt = 0
        await delay(backoffMs(attempt, 50, 2_000), stopping.signal).catch(() => undefined) // stopping ends the loop
      } finally {
        options.fence.epoch = undefined
        isServing = false
        await close(stream)
        stream = undefined
      }
    }
    state = 'stopped'
    ready.reject(new HoldfastError('sync_stopped', 503, 'Sync was stopped before it was ready'))
  }

  /** A stream that is broken already is closed enough: what broke it has been reported. */
  async function close(open: ReplicationStream | undefined): Promise<void> {
    try {
      await open?.[Symbol.asyncDispose]()
    } catch (error) {
      logger.log('debug', 'the replication stream could not be closed in order', { reason: errorMessage(error) })
    }
  }

  const running = run()
  return {
    ready: ready.promise,
    get isServing() {
      return isServing && currentProblem() === undefined
    },
    get isStandby() {
      return state === 'standing by'
    },
    plan: () => active,
    isSettled: () => isSettled(),
    get filling() {
      return filling()
    },
    get problem() {
      return currentProblem()
    },
    get state() {
      return state
    },
    progress,
    async [Symbol.asyncDispose]() {
      stopping.abort(new HoldfastError('sync_stopped', 503, 'Sync is stopping'))
      await close(stream)
      await running
    },
  }
}

interface RunControl {
  readonly signal: AbortSignal
  readonly lease: Lease
  readonly phases: Phases
  /** Begin anew: what the slot holds cannot be read. */
  readonly isUnreadable: boolean
  readonly progress: ReaderProgress
  setState(state: ReaderState): void
  setActive(active: ActivePlan | undefined): void
  setStream(stream: ReplicationStream): void
  setFilling(progress: () => FillProgress | undefined): void
  setSettled(isSettled: () => boolean): void
  /** Changes of tables were missed, and are not yet in the log. */
  setMissing(isMissing: boolean): void
  isMissing(): boolean
  setHeartbeat(heartbeat: Heartbeat): void
  onServing(): void
}

async function runOnce(options: ReplicatorOptions, control: RunControl): Promise<void> {
  const { pool, feed, logger } = options
  control.setActive(undefined)
  const slotName = await readSlotName(pool)
  const { signal, phases } = control
  await using plans = await openPlanSource({
    db: pool,
    compile: (ending) => compilePlan(options, ending),
    onCompiled: () => void wakeReader(options),
    signal,
    logger,
    quietMs: options.quietCompileMs,
    quietMaxMs: Math.max(options.quietCompileMs, QUIET_COMPILE_MAX_MS),
  })
  control.setSettled(() => plans.isSettled())
  noteMissed(plans.current, options, control)
  phases.end('plan')
  const state = await prepareState(options, slotName, control.isUnreadable)
  const writer = createLogWriter(pool, feed, { ...state.state, epoch: control.lease.epoch }, options.batchLimits)
  let stored: StoredDefinition[] | undefined
  try {
    if (state.slot) {
      const oids = plans.current.plan.tables.map((table) => table.oid)
      if ((await sizeOf(pool, oids)) > (options.snapshotBytesMax ?? SNAPSHOT_BYTES_MAX)) {
        // More than one transaction should hold: in pieces, which survive us.
        await writeFirstFilling(pool, state.slot.consistentPoint)
      } else {
        control.setState('reading tables')
        stored = await fillFirst(options, writer, plans.current.plan, state.slot, signal)
        // Some table was given up: what is stored is looked through again.
        if (stored.some(({ shape }) => shape === VOID)) {
          stored = undefined
          await plans.compileAfter([], true)
        }
        // The slot's own snapshot: from here on the stream continues.
        await writePosition(pool, { ...writer.position, confirmedLsn: state.slot.consistentPoint })
      }
    }
  } finally {
    await state.slot?.[Symbol.asyncDispose]()
  }
  phases.end('state')
  const startLsn = state.slot?.consistentPoint ?? state.state.confirmedLsn
  await releaseSlot(pool, slotName)
  const stream = await openReplicationStream({
    url: options.url,
    slot: slotName,
    publication: PUBLICATION,
    startLsn,
    logger,
  })
  control.setStream(stream)
  phases.end('slot')
  control.setState('following')
  control.signal.throwIfAborted()
  control.lease.lost.throwIfAborted()

  feed.reset(writer.lastOpId, startLsn ?? (0n as Lsn))
  // Devices would lose the rows of tables that are read again.
  if (control.isMissing()) await writeFilling(pool)
  await using serving = await openServing(
    {
      pool,
      readerUrl: options.readerUrl,
      logger,
      classes: options.classes,
      serve(active) {
        control.setActive(active)
        if (active) control.onServing()
      },
      onPlan: options.onPlan,
      forgetBuckets: () => writer.ids.forgetAll(),
    },
    plans.current.plan,
    feed.position,
    stored,
  )
  control.setFilling(() => serving.fill.progress)
  phases.end('serving')
  phases.log(logger, 'follows after these phases')
  await using heartbeat = startHeartbeat({ pool, logger })
  control.setHeartbeat(heartbeat)
  await using dueRows = startDueRows({ pool, url: options.readerUrl, active: serving.active, logger })
  const roles = watchRoles(pool, logger)
  const reader = createChangeReader({
    pool,
    evaluator: options.evaluator,
    feed,
    dependencies: options.dependencies,
    writer,
    stream,
    active: serving.active,
    fill: serving.fill,
    dueRows,
    stopServing: serving.pause,
    heartbeat,
    onQuietChange: () => plans.compileLater(),
    onUnpublished: () => control.setMissing(true),
    progress: control.progress,
    onConcerned: options.onConcerned,
    logger,
  })
  const changeTo = async (next: PublishedPlan, isAlteredType: boolean): Promise<void> => {
    noteMissed(next, options, control)
    await serving.change(next.plan, feed.position, isAlteredType, control.isMissing())
    heartbeat.repaired()
    reader.use(serving.active)
  }
  try {
    for await (const batch of stream.batches) {
      let rest: readonly ReplicationEvent[] = batch
      while (rest.length > 0) {
        rest = await reader.read(rest)
        if (await serving.complete()) reader.use(serving.active)
        const changedBy = reader.takeSchemaChanges()
        const isRewritten = reader.takeRewrites()
        if (changedBy.length === 0 && !isRewritten) {
          const compiled = plans.takeCompiled()
          if (compiled) await changeTo(compiled, false)
          if (reader.leavesOutClasses() && (await serving.recountClasses())) reader.use(serving.active)
          if (!serving.isFilling) control.setMissing(false)
          continue
        }
        // The transactions up to the change are applied, and nothing leaves under the old policies.
        const isAlteredType = reader.takeAlteredTypes()
        if (plans.saw(changedBy) && !isAlteredType && !isRewritten) {
          await serving.resume()
          continue
        }
        await changeTo(await plans.compileAfter(changedBy, isRewritten), isAlteredType)
        if (!serving.isFilling) control.setMissing(false)
      }
      await options.retirement.run(writer)
    }
    control.lease.lost.throwIfAborted()
  } finally {
    roles[Symbol.dispose]()
    await writer.abandon()
  }
}

/** Puts something into the stream, so that the reader looks at what has been compiled meanwhile. */
async function wakeReader({ pool, logger }: ReplicatorOptions): Promise<void> {
  try {
    await pool.query(sql`select pg_logical_emit_message(true, 'holdfast:plan', '')`)
  } catch (error) {
    logger.log('debug', 'the reader will find the new plan with the next change', { reason: errorMessage(error) })
  }
}

function noteMissed({ hasMissed }: PublishedPlan, { logger }: ReplicatorOptions, control: RunControl): void {
  if (!hasMissed) return
  logger.log('warn', 'the publication was changed by somebody else: its tables are read again')
  control.setMissing(true)
}

async function compilePlan(options: ReplicatorOptions, signal: AbortSignal): Promise<PublishedPlan> {
  const { pool, logger } = options
  const phases = createPhases()
  const functionsVersion = await readFunctionsVersion(pool)
  const policies = await options.compile(signal)
  phases.end('policies')
  const compiled = await withoutTooManyClasses(
    { pool: options.readerPool, admin: pool, logger },
    options.evaluator.withoutGivenUp(policies, functionsVersion),
    options.classes.max,
    await readDefinitions(pool),
  )
  phases.end('classes')
  const prepared = await options.prepare(compiled)
  phases.end('functions')
  await ensureEvaluatorRoles(pool, prepared, logger)
  phases.end('roles')
  const published = await publishTables({ pool, logger }, prepared)
  phases.end('publication')
  phases.log(logger, 'the plan was made in these phases')
  return published
}

/** The state to continue from; with a new slot when there is nothing to continue. */
async function prepareState(
  options: ReplicatorOptions,
  slotName: string,
  isUnreadable: boolean,
): Promise<{ readonly state: ReplicatorState; readonly slot: CreatedSlot | undefined }> {
  const { pool, logger } = options
  const state = await readState(pool)
  const slot = await findSlot(pool, slotName)
  const isUsable =
    !isUnreadable &&
    slot !== undefined &&
    slot.walStatus !== 'lost' &&
    slot.invalidationReason === undefined &&
    state?.slotName === slotName
  if (state?.confirmedLsn !== undefined && isUsable) return { state, slot: undefined }
  if (state?.confirmedLsn !== undefined) {
    logger.log('warn', 'the replication slot is gone: all tables are read again', {
      reason: isUnreadable
        ? 'changes came without their old rows'
        : (slot?.invalidationReason ?? slot?.walStatus ?? 'missing'),
    })
  }
  await dropSlot(pool, slotName)
  await resetState(pool, slotName)
  const old = await readDefinitions(pool)
  await dropDefinitions(
    pool,
    old.map((definition) => definition.number),
  )
  const fresh = await readState(pool)
  const created = await createSlot({ url: options.url, name: slotName })
  return {
    state: fresh ?? { slotName, confirmedLsn: undefined, lastOpId: 0, lastBucketId: 0, epoch: 0 },
    slot: created,
  }
}

/** Makes all buckets of a plan from one snapshot. */
async function fillFirst(
  options: ReplicatorOptions,
  writer: LogWriter,
  plan: SyncPlan,
  slot: CreatedSlot,
  signal: AbortSignal,
): Promise<StoredDefinition[]> {
  await voidRenamedLabels(options.pool, false) // what is read from here on has the words of now
  const filled = await fillDefinitions({
    pool: options.pool,
    evaluator: options.evaluator,
    url: options.readerUrl,
    plan,
    definitionIds: new Set(plan.tables.flatMap((table) => table.definitions.map(({ id }) => id))),
    slot,
    ids: writer.ids,
    nextOpId: () => writer.nextOpId(),
    lastOpId: () => writer.lastOpId,
    logger: options.logger,
    signal,
  })
  writer.ids.forgetAll()
  return filled
}
