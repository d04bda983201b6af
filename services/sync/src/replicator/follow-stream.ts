import type { Phases } from '@holdfast/foundation'
import { openReplicationStream, releaseSlot, type Lsn, type ReplicationStream } from '@holdfast/replication'
import type { ActivePlan } from '../buckets/active-plan.ts'
import type { Lease } from '../lease/lease.ts'
import { raiseWriteCheckpointFloor, type StoredDefinition } from '../storage/bucket-storage.ts'
import { writeFilling } from '../storage/fills.ts'
import { ChangeReader } from './change-reader.ts'
import { openPlans } from './compile-plan.ts'
import { DueRows } from './due-rows.ts'
import { startHeartbeat, type Heartbeat } from './heartbeat.ts'
import { LogWriter } from './log-writer.ts'
import { readSlotName } from './make-slot.ts'
import type { PlanSource } from './plan-source.ts'
import { hasVoid, prepareState, readFirst, startFromSlot } from './prepare-state.ts'
import { writePrerequisites, type Prerequisites } from './prerequisites.ts'
import { PUBLICATION, type PublishedPlan } from './publish-tables.ts'
import type { ReplicatorOptions } from './replicator-options.ts'
import type { RunState } from './run-state.ts'
import type { SchemaChanges } from './schema-barrier.ts'
import { openServing, type ChangeOfPlan, type Serving } from './serving.ts'
import { watchRoles } from './watch-roles.ts'

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
  await using serving = await openServing(
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
  state.opened({ filling: () => serving.fill.progress })
  phases.end('serving')
  phases.log(logger, 'follows after these phases')
  await using heartbeat = startHeartbeat({ pool, logger })
  state.opened({ heartbeat })
  await using dueRows = new DueRows({ pool, url: options.readerUrl, active: serving.active, logger })
  using _roles = watchRoles(pool, logger)
  const reader = createReader(options, state, { plans, writer, stream, serving, heartbeat, dueRows })
  try {
    await readBatches(options, state, { plans, writer, stream, serving, heartbeat, reader })
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

/** Opens the log where it ends, or begins it with what the tables have. */
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
  readonly serving: Serving
  readonly heartbeat: Heartbeat
  readonly reader: ChangeReader
}

function createReader(
  options: ReplicatorOptions,
  state: RunState,
  { plans, writer, stream, serving, heartbeat, dueRows }: Omit<Following, 'reader'> & { readonly dueRows: DueRows },
): ChangeReader {
  return new ChangeReader({
    pool: options.pool,
    evaluator: options.evaluator,
    feed: options.feed,
    dependencies: options.dependencies,
    writer,
    stream,
    active: serving.active,
    fill: serving.fill,
    dueRows,
    stopServing: () => serving.pause(),
    changesInARowMs: options.changesInARowMs,
    heartbeat,
    sawChange: (xid) => plans.saw([xid]),
    onQuietChange: () => plans.compileLater(),
    onApartChange: () => plans.compileSoon(),
    onUnpublished: () => state.dispatch({ kind: 'changes missed' }),
    progress: state.progress,
    onConcerned: options.onConcerned,
    logger: options.logger,
  })
}

async function readBatches(options: ReplicatorOptions, state: RunState, following: Following): Promise<void> {
  const { stream, serving, reader, writer } = following
  for await (const batch of stream.batches) {
    options.tap.deliver(batch)
    for (let rest = batch; rest.length > 0;) {
      rest = await reader.read(rest)
      if (await serving.complete()) reader.use(serving.active)
      const changes = reader.takeSchemaChanges()
      if (changes) await changeSchema(options, state, following, changes)
      else await lookAround(options, state, following)
    }
    await options.retirement.run(writer)
  }
}

/** The transactions up to the change are applied, and nothing leaves under the old policies. */
async function changeSchema(
  options: ReplicatorOptions,
  state: RunState,
  following: Following,
  { by, isTypeAltered, isRewritten, isInARow }: SchemaChanges,
): Promise<void> {
  const { plans, serving } = following
  if (plans.saw(by) && !isTypeAltered && !isRewritten) {
    await serving.resume()
    return
  }
  // A table that is new to sync waits for the end of the row, so that it does not hold up what devices have.
  const only = isInARow ? new Set(serving.active.tables.keys()) : undefined
  const next = await plans.compileAfter(by, isRewritten, only)
  await changePlan(options, state, following, next, { isTypeAltered, waitsForNew: true })
  if (!serving.isFilling) state.dispatch({ kind: 'missed changes read' })
}

/** Takes into use what has become possible while the schema stays as it is. */
async function lookAround(options: ReplicatorOptions, state: RunState, following: Following): Promise<void> {
  const { plans, serving, reader } = following
  const compiled = plans.takeCompiled()
  if (compiled) await changePlan(options, state, following, compiled, { isTypeAltered: false, waitsForNew: false })
  if (reader.leavesOutClasses() && (await serving.recountClasses())) reader.use(serving.active)
  if (!serving.isFilling) state.dispatch({ kind: 'missed changes read' })
}

async function changePlan(
  options: ReplicatorOptions,
  state: RunState,
  { serving, heartbeat, reader }: Following,
  next: PublishedPlan,
  about: Pick<ChangeOfPlan, 'isTypeAltered' | 'waitsForNew'>,
): Promise<void> {
  noteMissed(next, options, state)
  await serving.change(next.plan, options.feed.position, { ...about, hasMissed: state.value.isMissing })
  heartbeat.repaired()
  reader.use(serving.active)
}

function noteMissed({ hasMissed }: PublishedPlan, { logger }: ReplicatorOptions, state: RunState): void {
  if (!hasMissed) return
  logger.log('warn', 'the publication was changed by another session: its tables are read again')
  state.dispatch({ kind: 'changes missed' })
}
