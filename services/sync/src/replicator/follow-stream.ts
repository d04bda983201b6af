import type { Phases } from '@holdfast/foundation'
import { openReplicationStream, releaseSlot, type Lsn, type ReplicationStream } from '@holdfast/replication'
import type { ActivePlan } from '../buckets/active-plan.ts'
import type { Lease } from '../lease/lease.ts'
import { raiseWriteCheckpointFloor, type StoredDefinition } from '../storage/bucket-storage.ts'
import { writeFilling } from '../storage/fills.ts'
import { ChangeReader } from './read/change-reader.ts'
import { openPlans } from './plan/compile-plan.ts'
import { DueRows } from './read/due-rows.ts'
import { startHeartbeat, type Heartbeat } from './setup/heartbeat.ts'
import { LogWriter } from './log/log-writer.ts'
import { readSlotName } from './setup/change-slot.ts'
import type { PlanSource } from './plan/plan-source.ts'
import { hasVoid, prepareState, readFirst, startFromSlot } from './setup/prepare-state.ts'
import { writePrerequisites, type Prerequisites } from './setup/prerequisites.ts'
import { PUBLICATION, type PublishedPlan } from './plan/publish-tables.ts'
import type { ReplicatorOptions } from './setup/replicator-options.ts'
import type { RunState } from './run-state.ts'
import type { SchemaChanges } from './read/schema-barrier.ts'
import { ServedPlan, type ChangeOfPlan } from './serve/served-plan.ts'
import { watchRoles } from './read/watch-roles.ts'

/** One attempt at following the stream. */
export interface Attempt {
  readonly signal: AbortSignal
  readonly lease: Lease
  readonly phases: Phases
  readonly prerequisites: Prerequisites
  readonly state: RunState
  /** Sets what streams follow; `undefined` holds all checkpoints. */
  readonly serve: (active: ActivePlan | undefined) => void
}

/** Follows the stream until it ends or something fails. */
export async function followStream(options: ReplicatorOptions, attempt: Attempt): Promise<void> {
  const { feed, pool, logger } = options
  const { signal, lease, phases, state, serve } = attempt
  serve(undefined)
  options.notes.restart(lease.epoch)
  const slotName = await readSlotName(pool)
  await using plans = await openPlans(options, signal)
  state.opened({ isSettled: () => plans.isSettled() })
  noteMissed(plans.current, options, state)
  phases.end('plan')
  const { writer, stored, startLsn } = await openLog(options, attempt, slotName, plans)
  phases.end('state')
  await releaseSlot(pool, slotName)
  const { url } = options
  const stream = await openReplicationStream({ url, slot: slotName, publication: PUBLICATION, startLsn, logger })
  state.opened({ stream })
  phases.end('slot')
  state.dispatch({ kind: 'following' })
  signal.throwIfAborted()
  lease.lost.throwIfAborted()

  await raiseWriteCheckpointFloor(pool)
  feed.reset(writer.lastOpId, startLsn ?? (0n as Lsn))
  // Otherwise devices would lose the rows of tables that are read again.
  if (state.value.isMissing) await writeFilling(pool)
  await using served = await ServedPlan.open(
    {
      pool,
      readerUrl: options.readerUrl,
      fillChunkRows: options.fillChunkRows,
      logger,
      classes: options.classes,
      serve,
      onPlan: options.onPlan,
      forgetBuckets: () => writer.ids.forgetAll(),
    },
    plans.current.plan,
    feed.position,
    stored,
  )
  state.opened({ filling: () => served.fill.progress })
  phases.end('serving')
  phases.log(logger, 'follows after these phases')
  await using heartbeat = startHeartbeat({ pool, logger })
  state.opened({ heartbeat })
  await using dueRows = new DueRows({ pool, url: options.readerUrl, active: served.active, logger })
  using _roles = watchRoles(pool, logger)
  const reader = createReader(options, state, { plans, writer, stream, served, heartbeat, dueRows })
  try {
    await readBatches(options, state, { plans, writer, stream, served, heartbeat, reader })
    lease.lost.throwIfAborted()
  } finally {
    await writer.abandon()
  }
}

/** Why everything is read again. */
const UNWATCHED = 'event triggers were missing, disabled or altered, so changes may have passed unnoticed'

interface OpenLog {
  readonly writer: LogWriter
  /** Complete definitions; `undefined` to look them up. */
  readonly stored: readonly StoredDefinition[] | undefined
  readonly startLsn: Lsn | undefined
}

/** Continues the existing log, or starts one with the tables' current rows. */
async function openLog(
  options: ReplicatorOptions,
  { signal, lease, prerequisites, state: run }: Attempt,
  slotName: string,
  plans: PlanSource,
): Promise<OpenLog> {
  const { pool, feed } = options
  const onWaiting = (problem: string | undefined): void => {
    run.dispatch({ kind: 'waiting', problem })
    if (problem !== undefined) options.onWaiting()
  }
  const voided = prerequisites.hasGap ? UNWATCHED : undefined
  const { state, slot } = await prepareState(options, slotName, voided, { signal, onWaiting })
  await writePrerequisites(pool, prerequisites)
  const writer = new LogWriter(pool, feed, { ...state, epoch: lease.epoch }, options.batchLimits)
  if (!slot) return { writer, stored: undefined, startLsn: state.confirmedLsn }
  const { consistentPoint: startLsn } = slot
  try {
    const onReading = (): void => run.dispatch({ kind: 'reading tables' })
    const { plan } = plans.current
    const stored = await readFirst(options, { plan, slot, writer, signal, onReading })
    // Creating the slot may have taken long, and the stream does not contain changes from before it.
    noteMissed(await plans.compileAfter([], true), options, run)
    if (stored) await startFromSlot(options, writer, slot)
    const isWhole = stored !== undefined && !hasVoid(stored) && plans.current.plan.version === plan.version
    return { writer, stored: isWhole ? stored : undefined, startLsn }
  } finally {
    await slot[Symbol.asyncDispose]()
  }
}

/** Components that read and serve while following the stream. */
interface Following {
  readonly plans: PlanSource
  readonly writer: LogWriter
  readonly stream: ReplicationStream
  readonly served: ServedPlan
  readonly heartbeat: Heartbeat
  readonly reader: ChangeReader
}

function createReader(
  options: ReplicatorOptions,
  state: RunState,
  { plans, writer, stream, served, heartbeat, dueRows }: Omit<Following, 'reader'> & { readonly dueRows: DueRows },
): ChangeReader {
  return new ChangeReader({
    pool: options.pool,
    evaluator: options.evaluator,
    feed: options.feed,
    dependencies: options.dependencies,
    writer,
    stream,
    active: served.active,
    fill: served.fill,
    dueRows,
    stopServing: () => served.pause(),
    changesInARowMs: options.changesInARowMs,
    heartbeat,
    sawChange: (xid) => plans.saw([xid]),
    onQuietChange: () => plans.compileLater(),
    onApartChange: () => plans.compileSoon(),
    onUnpublished: () => state.dispatch({ kind: 'changes missed' }),
    progress: state.progress,
    notes: options.notes,
    onConcerned: options.onConcerned,
    logger: options.logger,
  })
}

async function readBatches(options: ReplicatorOptions, state: RunState, following: Following): Promise<void> {
  const { stream, served, reader, writer } = following
  for await (const batch of stream.batches) {
    options.tap.deliver(batch)
    for (let rest = batch; rest.length > 0;) {
      rest = await reader.read(rest)
      if (await served.complete()) reader.use(served.active)
      const changes = reader.takeSchemaChanges()
      if (changes) await changeSchema(options, state, following, changes)
      else await lookAround(options, state, following)
    }
    await options.retirement.run(writer)
    await options.notes.settle(state.active, writer.isIdle)
  }
}

/** Switches to changed policies: transactions up to the change have been applied, and nothing is sent under the old policies. */
async function changeSchema(
  options: ReplicatorOptions,
  state: RunState,
  following: Following,
  { by, isTypeAltered, isRewritten, isInARow }: SchemaChanges,
): Promise<void> {
  const { plans, served } = following
  if (plans.saw(by) && !isTypeAltered && !isRewritten) {
    await served.resume()
    return
  }
  // During a series of changes, tables that are new to sync wait for its end, so that they do not delay what devices have.
  const only = isInARow ? new Set(served.active.tables.keys()) : undefined
  const next = await plans.compileAfter(by, isRewritten, only)
  await changePlan(options, state, following, next, { isTypeAltered, waitsForNew: true })
  if (!served.isFilling) state.dispatch({ kind: 'missed changes read' })
}

/** Activates filled definitions, background plans and added classes while the schema is unchanged. */
async function lookAround(options: ReplicatorOptions, state: RunState, following: Following): Promise<void> {
  const { plans, served, reader } = following
  const compiled = plans.takeCompiled()
  if (compiled) await changePlan(options, state, following, compiled, { isTypeAltered: false, waitsForNew: false })
  if (reader.leavesOutClasses() && (await served.recountClasses())) reader.use(served.active)
  if (!served.isFilling) state.dispatch({ kind: 'missed changes read' })
}

async function changePlan(
  options: ReplicatorOptions,
  state: RunState,
  { served, heartbeat, reader }: Following,
  next: PublishedPlan,
  about: Pick<ChangeOfPlan, 'isTypeAltered' | 'waitsForNew'>,
): Promise<void> {
  noteMissed(next, options, state)
  await served.change(next.plan, options.feed.position, { ...about, hasMissed: state.value.isMissing })
  heartbeat.repaired()
  reader.use(served.active)
}

function noteMissed({ hasMissed }: PublishedPlan, { logger }: ReplicatorOptions, state: RunState): void {
  if (!hasMissed) return
  logger.log('warn', 'the publication was changed by another session: its tables are read again')
  state.dispatch({ kind: 'changes missed' })
}
