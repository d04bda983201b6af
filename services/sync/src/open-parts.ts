import { delay, Semaphore, systemClock, type Clock, type Logger } from '@holdfast/foundation'
import type { SyncPlan } from '@holdfast/policy'
import { connectAhead, createPool, type Pool } from '@holdfast/postgres'
import type { ActivePlan, ClassLimits } from './buckets/active-plan.ts'
import { DependencyIndex } from './buckets/dependency-index.ts'
import { createKeyEvaluator } from './buckets/key-evaluator.ts'
import { createKeyMoments } from './buckets/key-moments.ts'
import { createPolicyFailures, type PolicyFailures } from './buckets/policy-failures.ts'
import { createCheckpointFeed, type CheckpointFeed } from './checkpoints/checkpoint-feed.ts'
import { createLookups } from './checkpoints/lookups.ts'
import { createWalBarrier, type WalBarrier } from './checkpoints/wal-barrier.ts'
import { readWriteCheckpoints } from './checkpoints/write-checkpoints.ts'
import { createCompactions, type Compactions } from './compaction/compactions.ts'
import { Compactor } from './compaction/compactor.ts'
import { createRetirement, type Retirement } from './compaction/retire-buckets.ts'
import { standingBy, syncRefused } from './errors.ts'
import { createFollowedLog, createFollowedLookups } from './followers/followed-log.ts'
import { Follower } from './followers/follower.ts'
import { NotePublisher } from './followers/note-publisher.ts'
import { createDeviceNotices, type DeviceNotices } from './followers/device-notices.ts'
import { createFence, type Fence } from './lease/fence.ts'
import { act, takeAsked } from './devices/device-actions.ts'
import { SeenDevices } from './devices/seen-devices.ts'
import { UploadProblems } from './devices/upload-problems.ts'
import { createInstance } from './lease/lease.ts'
import {
  BUCKETS_PER_CLIENT_MAX,
  CONCURRENT_EVALUATIONS_MAX,
  CONCURRENT_READS_MAX,
  EVALUATED_TOGETHER_MAX,
  LOG_CONNECTION_LIFETIME_S,
  LOG_CONNECTIONS_MAX,
  CHANGES_IN_A_ROW_MS,
  QUIET_COMPILE_MS,
} from './limits.ts'
import { FOLLOW_PATIENCE_MS, FOLLOW_POLL_MS } from './followers/limits.ts'
import type { SyncOptions } from './options.ts'
import { logRefusedTables } from './replicator/plan/log-refused-tables.ts'
import { startReplicator, type Replicator } from './replicator/replicator.ts'
import { wakeReader } from './replicator/setup/wake-reader.ts'
import { createPositionReader } from './replica/log-position.ts'
import { Replica } from './replica/replica.ts'
import { ReplicatedLog } from './replica/replicated-log.ts'
import { openRestrictedPools, type RestrictedPools } from './user-sql/restricted-pools.ts'
import { createWriteCheckpointDelivery } from './routes/write-checkpoint.ts'
import { RowEvaluator } from './rows/row-evaluator.ts'
import { createTimeZone } from './rows/time-zone.ts'
import { createLogReader, type LogReader } from './storage/log-reader.ts'
import { LOG_SETTINGS } from './storage/log-settings.ts'
import { bucketsDeleted, createConnections, type Connections } from './stream/connections.ts'
import { createDownloads, type Downloads } from './stream/downloads.ts'
import { createOmittedTables, type OmittedTables } from './stream/omitted-tables.ts'
import { createSharedLines } from './stream/shared-lines.ts'
import type { StreamContext } from './stream/stream-context.ts'

/** Foundation of the other parts: connections and shared channels. */
export interface Ground {
  readonly clock: Clock
  /** Identifies this process among those on the database. */
  readonly instance: string
  /** Connects as superuser. */
  readonly pool: Pool
  readonly restricted: RestrictedPools
  readonly log: LogReader
  /** The log, if its operations are read from a replica. */
  readonly replicated: ReplicatedLog | undefined
  readonly feed: CheckpointFeed
  readonly walBarrier: WalBarrier
  /** Serves devices while another process reads the changes. */
  readonly follower: Follower
  /** What other servers on the database do for devices of this one. */
  readonly notices: DeviceNotices
  readonly dependencies: DependencyIndex
  readonly failures: PolicyFailures
  readonly connections: Connections
  readonly downloads: Downloads
  readonly omittedTables: OmittedTables
  readonly seen: SeenDevices
  readonly uploadProblems: UploadProblems
}

function classLimitsOf(options: SyncOptions): ClassLimits {
  return {
    max: options.options.syncClassesMax,
    perAuthorMax: options.options.syncClassesPerPersonMax,
    recountMs: options.classRecountMs,
  }
}

export function openGround(options: SyncOptions, signal: AbortSignal): Ground {
  const { url, logger } = options
  const instance = createInstance()
  const clock = options.clock ?? systemClock
  const pool = createPool({
    url,
    applicationName: `holdfast sync ${instance}`,
    connectionsMax: LOG_CONNECTIONS_MAX,
    lifetimeS: LOG_CONNECTION_LIFETIME_S,
    settings: LOG_SETTINGS,
    onError: (error) => logger.log('warn', 'a connection to the operation log was lost', { reason: error.message }),
  })
  // The lease is requested first, on another connection.
  connectAhead(pool)
  const feed = createCheckpointFeed()
  const dependencies = new DependencyIndex()
  const connections = createConnections(() => clock.now())
  const follower = new Follower({
    url,
    instance,
    pool,
    feed,
    dependencies,
    classes: classLimitsOf(options),
    onRetired(holders) {
      for (const connection of connections.all())
        if (holders.has(connection.session)) connections.expire(connection, bucketsDeleted)
    },
    logger,
  })
  const walBarrier = createWalBarrier(pool, feed, () => follower.isFollowing)
  const { log, replicated } = openLog(options, pool)
  const deliver = createWriteCheckpointDelivery({ walBarrier, connections, signal, logger })
  return {
    clock,
    instance,
    pool,
    restricted: openRestrictedPools(options),
    log,
    replicated,
    feed,
    walBarrier,
    follower,
    notices: createDeviceNotices({
      url,
      instance,
      pool,
      devices: () => connections.all(),
      onTold: {
        async writeCheckpoint(devices) {
          const checkpoints = await readWriteCheckpoints(pool, devices)
          for (const [at, device] of devices.entries()) {
            const checkpoint = checkpoints[at]
            if (checkpoint) deliver(device, checkpoint)
          }
        },
        async action(devices) {
          for (const { action, ...device } of await takeAsked(pool, devices)) act(connections, device, action)
        },
      },
      logger,
    }),
    dependencies,
    failures: createPolicyFailures(logger, clock),
    connections,
    downloads: createDownloads(),
    omittedTables: createOmittedTables(logger),
    seen: new SeenDevices({ pool, node: instance, connections: () => connections.all(), logger }),
    uploadProblems: new UploadProblems(),
  }
}

function openLog({ url, replicaUrl, logger }: SyncOptions, pool: Pool): Pick<Ground, 'log' | 'replicated'> {
  const connectionsMax = CONCURRENT_READS_MAX
  const primary = createLogReader({ url, connectionsMax })
  if (replicaUrl === undefined) return { log: primary, replicated: undefined }
  const replica = new Replica({ url: replicaUrl, connectionsMax })
  const replicated = new ReplicatedLog({ primary, replica, readPosition: createPositionReader(pool), logger })
  return { log: replicated, replicated }
}

/** Components that write the log. */
export interface Writing {
  readonly replicator: Replicator
  readonly compactor: Compactor
  readonly compactions: Compactions
  /** Returns the served plan, or the previous one while policies are being compiled. */
  plan(): SyncPlan | undefined
  /** Returns what streams follow; `undefined` while no checkpoint may be sent. */
  active(): ActivePlan | undefined
  /** Whether other processes follow this one. */
  hasFollowers(): boolean
  /** Resolves when another process has the lease, or open transactions delay the start. */
  readonly waiting: Promise<void>
}

function createNotes({ pool, feed, dependencies, notices }: Ground, fenced: Pool, logger: Logger): NotePublisher {
  return new NotePublisher({
    pool: fenced,
    feed,
    dependencies,
    wakeReader: () => void wakeReader({ pool, logger }),
    onFollowed: () => notices.start(),
    logger,
  })
}

function createCompactor(
  options: SyncOptions,
  { feed }: Ground,
  given: { readonly fence: Fence; readonly compactions: Compactions; readonly retire: Retirement['retire'] },
): Compactor {
  const { fence, compactions, retire } = given
  return new Compactor({
    pool: fence.pool,
    isLeading: () => fence.epoch !== undefined,
    feed,
    compactions,
    retire,
    intervalS: options.options.syncCompactIntervalS,
    opsPerSecond: options.options.syncCompactOpsPerSecond,
    ...(options.compactSlackOps === undefined ? {} : { slackOps: options.compactSlackOps }),
    logger: options.logger,
  })
}

export function startWriting(options: SyncOptions, ground: Ground): Writing {
  const { logger } = options
  const { pool, restricted, feed, failures, connections, downloads, omittedTables, follower } = ground
  const fence = createFence(pool)
  const waiting = Promise.withResolvers<void>()
  const notes = createNotes(ground, fence.pool, logger)
  const retirement = createRetirement({
    pool: fence.pool,
    feed,
    onRetired: (names) => downloads.forget(names),
    onDeleted: (db, names) => notes.retired(db, names),
  })
  let plan: SyncPlan | undefined
  const replicator = startReplicator({
    retirement,
    pool: fence.pool,
    readerPool: restricted.readerPool,
    evaluator: new RowEvaluator({
      pool: restricted.evaluatorPool,
      admin: pool,
      failures,
      limits: options.rowLimits,
      timeZone: createTimeZone(pool),
      logger,
    }),
    fence,
    instance: ground.instance,
    notes,
    onStandby() {
      follower.start()
      ground.notices.start()
      void endUnserved(ground).then(() => waiting.resolve())
    },
    onLeading: () => follower.stop(),
    onWaiting: () => waiting.resolve(),
    onRefused() {
      connections.endAll(syncRefused())
      waiting.resolve()
    },
    url: options.url,
    readerUrl: options.readerUrl,
    feed,
    dependencies: ground.dependencies,
    onConcerned: omittedTables.changed,
    compile: options.compile,
    prepare: options.prepare,
    alsoPublished: options.alsoPublished ?? (async () => []),
    tap: options.tap ?? { deliver: () => undefined },
    classes: classLimitsOf(options),
    ...(options.snapshotBytesMax === undefined ? {} : { snapshotBytesMax: options.snapshotBytesMax }),
    batchLimits: options.batchLimits,
    fillChunkRows: options.fillChunkRows,
    quietCompileMs: options.quietCompileMs ?? QUIET_COMPILE_MS,
    changesInARowMs: options.changesInARowMs ?? CHANGES_IN_A_ROW_MS,
    onPlan: (next) => {
      logRefusedTables(logger, next, plan)
      // Failures during the first plan come from reading its tables and are kept.
      if (plan && next.version !== plan.version) failures.forget()
      plan = next
    },
    logger,
  })
  const compactions = createCompactions()
  const compactor = createCompactor(options, ground, { fence, compactions, retire: retirement.retire })
  return {
    replicator,
    compactor,
    compactions,
    plan: () => follower.newest()?.plan ?? plan,
    active: () => replicator.plan() ?? follower.plan(),
    hasFollowers: () => notes.isPublishing,
    waiting: waiting.promise,
  }
}

/** Waits until this process follows. If it cannot, devices reconnect to another one. */
async function endUnserved({ follower, connections }: Ground): Promise<void> {
  const deadlineMs = performance.now() + FOLLOW_PATIENCE_MS
  while (follower.isFollowing && !follower.isReady) {
    if (performance.now() > deadlineMs) {
      connections.endAll(standingBy())
      return
    }
    await delay(FOLLOW_POLL_MS)
  }
}

/** Creates the context that streams are served from. */
export function createStreamContext(options: SyncOptions, ground: Ground, writing: Writing): StreamContext {
  const { pool, restricted, feed, failures, follower } = ground
  return {
    ...createFollowedLookups(createLookups(pool), follower),
    feed,
    walBarrier: ground.walBarrier,
    dependencies: ground.dependencies,
    log: createFollowedLog(ground.log, { follower, feed }),
    isFollowing: () => follower.isFollowing,
    downloads: ground.downloads,
    bulkLines: new Semaphore({ permits: 1 }),
    sharedLines: createSharedLines(feed),
    compactions: writing.compactions,
    omittedTables: ground.omittedTables,
    bucketsMax: options.bucketsPerClientMax ?? BUCKETS_PER_CLIENT_MAX,
    keys: createKeyEvaluator({
      pool: options.shares.streams.for({ userKey: undefined }),
      concurrency: CONCURRENT_EVALUATIONS_MAX,
      peopleMax: EVALUATED_TOGETHER_MAX,
      failures,
    }),
    keyMoments: createKeyMoments({ readerPool: restricted.readerPool, logger: options.logger }),
    logger: options.logger,
    plan: writing.active,
  }
}
