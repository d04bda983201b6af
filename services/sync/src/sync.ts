import type { FastifyPluginAsync } from 'fastify'
import { systemClock, type Clock, type Logger, type OptionValues } from '@holdfast/foundation'
import { decodeLargeBodiesInTurn } from '@holdfast/http'
import type { SyncPlan } from '@holdfast/policy'
import { createPool, type MigrationSource, type PoolShare } from '@holdfast/postgres'
import { fullClassLists } from './buckets/access-classes.ts'
import type { ActivePlan } from './buckets/active-plan.ts'
import { createDependencyIndex } from './buckets/dependency-index.ts'
import { createKeyEvaluator } from './buckets/key-evaluator.ts'
import { createKeyMoments } from './buckets/key-moments.ts'
import { createPolicyFailures } from './buckets/policy-failures.ts'
import { createCheckpointFeed } from './checkpoints/checkpoint-feed.ts'
import { createLookups } from './checkpoints/lookups.ts'
import { createMarks } from './checkpoints/marks.ts'
import { notReady, standingBy } from './errors.ts'
import { createFence } from './lease/fence.ts'
import { createInstance } from './lease/lease.ts'
import {
  BUCKETS_PER_CLIENT_MAX,
  CONCURRENT_EVALUATIONS_MAX,
  CONCURRENT_READS_MAX,
  DRAIN_MS,
  EVALUATED_TOGETHER_MAX,
  LOG_CONNECTION_LIFETIME_S,
  LOG_CONNECTIONS_MAX,
  QUIET_COMPILE_MS,
} from './limits.ts'
import type { syncOptions } from './options.ts'
import type { FillProgress } from './fill/fill-turns.ts'
import type { BatchLimits } from './replicator/log-writer.ts'
import { createTimeZone } from './rows/time-zone.ts'
import { startReplicator } from './replicator/replicator.ts'
import { createRowEvaluator, type RowLimits } from './rows/row-evaluator.ts'
import { openRestrictedPools } from './restricted-pools.ts'
import { createRetirement } from './compaction/retire-buckets.ts'
import { createCompactions } from './compaction/compactions.ts'
import { startCompactor, type Compaction } from './compaction/compactor.ts'
import { LOG_SETTINGS } from './storage/log-settings.ts'
import { createLogReader } from './storage/log-reader.ts'
import { describeFloods } from './inspect/describe-floods.ts'
import type { FindPerson } from './inspect/person.ts'
import { readStatus } from './inspect/status.ts'
import { inspectRoutes } from './routes/inspect.ts'
import { incompleteRoutes } from './routes/incomplete.ts'
import { schemaRoutes } from './routes/schema.ts'
import { streamRoutes } from './routes/stream.ts'
import { uploadRoutes } from './routes/upload.ts'
import { writeCheckpointRoutes } from './routes/write-checkpoint.ts'
import { createConnections } from './stream/connections.ts'
import { createDownloads } from './stream/downloads.ts'
import { createLeftOuts } from './stream/left-outs.ts'
import type { WatchSession } from './stream/watch-session.ts'
import { createSharedLines } from './stream/shared-lines.ts'
import { RUN_OPERATIONS_MAX } from './upload/limits.ts'
import { createUploadsUnderWay } from './upload/uploads-under-way.ts'

/** Schema `sync`; applied after the platform's and auth's. */
export const syncMigrations: MigrationSource = {
  name: 'sync',
  directory: new URL('../migrations/', import.meta.url),
  witness: 'sync.state',
  otherSchemas: ['subscription'],
  parts: [
    {
      migration: '0095_subscription',
      functions: [
        'subscription.parameters()',
        'subscription.parameter(text)',
        'subscription.elements(text)',
        'subscription.moment(text)',
        'subscription.moments(text[])',
      ],
    },
  ],
}

/** Its addresses come from `withOwnSettings`: what a project sets for its sessions must not end ours. */
export interface SyncOptions {
  /** Superuser's connection string: schema `sync`, replication, and tables past their policies. */
  readonly url: string
  /** Connections as `authenticator`, for everything that runs as a person: what streams and devices read, and what is uploaded. */
  readonly shares: { readonly streams: PoolShare; readonly uploads: PoolShare }
  /** Schemas whose tables devices may write, as they are now; {@link compile} follows the same. */
  readonly exposedSchemas: () => readonly string[]
  /** Connects as `holdfast_reader`: reads tables past their policies, and writes nothing. */
  readonly readerUrl: string
  /** Connects as `holdfast_evaluator`: evaluates what users wrote, with the rights of the API roles. */
  readonly evaluatorUrl: string
  /** Compiles the policies as they are now. Gives up when the signal is aborted. */
  readonly compile: (signal: AbortSignal) => Promise<SyncPlan>
  /** Prepares the database for a plan. @returns the plan without the tables for which that is refused */
  readonly prepare: (plan: SyncPlan) => Promise<SyncPlan>
  /** Ends streams of people who are gone. */
  readonly watchSession: WatchSession
  /** For operators who look at what a person has. */
  readonly findPerson: FindPerson
  readonly options: OptionValues<typeof syncOptions>
  readonly logger: Logger
  readonly clock?: Clock
  /** Tables larger than this together are read for the first time in pieces. */
  readonly snapshotBytesMax?: number
  readonly batchLimits?: BatchLimits
  /** How long after the last change of the schema that no device sees policies are compiled, in milliseconds. */
  readonly quietCompileMs?: number
  readonly rowLimits?: RowLimits
  /** Buckets of one person; 50,000 by default. */
  readonly bucketsPerClientMax?: number
  /** How long devices have to go elsewhere when the service is disposed, in milliseconds; 1500 by default. */
  readonly drainMs?: number
  /** Superseded operations that a bucket may have whatever its size. */
  readonly compactSlackOps?: number
}

export interface SyncService extends AsyncDisposable {
  /** Resolves when the first state of all tables is in the log; requests before that get `PSYNC_S2302`. */
  readonly ready: Promise<void>
  /** Resolves when it is ready, or waits for others: another process has the lease, or transactions that are open delay the start. */
  readonly settled: Promise<void>
  /**
   * `POST /sync/stream`, `GET /write-checkpoint2.json`, `POST /sync/v1/upload` and `GET /sync/v1/schema`, to be mounted at the root, behind
   * the gateway.
   */
  readonly routes: FastifyPluginAsync
  /** The plan being served, or the last one while policies are compiled again. */
  plan(): SyncPlan | undefined
  /** For health and operators. Not ready while something is known to be missing: `problem` says what. */
  status(): {
    readonly ready: boolean
    /** Another process on this database serves devices, and this one takes over when that is gone. */
    readonly standby: boolean
    readonly connections: number
    readonly opId: number
    /** The table that is being read, and the rows of it that have been since the process began. */
    readonly filling: FillProgress | undefined
    readonly problem: string | undefined
    /** Who floods whom, and what does not reach devices therefore. */
    readonly floods: string | undefined
  }
  /** A round of compaction now. */
  compact(): Promise<Compaction>
}

/** Logs which tables and which queries of streams do not sync, and why, each once. */
function logRefusedTables(logger: Logger, next: SyncPlan, before: SyncPlan | undefined): void {
  const previouslyLogged = new Set(before?.refused.map((table) => `${table.oid} ${table.reason}`))
  for (const { schema, name, oid, policy, reason } of next.refused) {
    if (previouslyLogged.has(`${oid} ${reason}`)) continue
    // A policy that cannot be followed surprises; a table without one was not meant for devices.
    logger.log(policy === undefined ? 'info' : 'warn', 'a table does not sync', {
      table: `${schema}.${name}`,
      policy,
      reason,
    })
  }
  const loggedQueries = new Set(
    before?.streams.flatMap(({ name, refused }) => refused.map((one) => `${name} ${one.reason}`)),
  )
  for (const { name, refused } of next.streams) {
    for (const { query, reason } of refused) {
      if (!loggedQueries.has(`${name} ${reason}`))
        logger.log('warn', 'a query of a stream is not followed', { stream: name, query, reason })
    }
  }
}

/** Wires the parts in the order data flows through them. Nothing here decides anything. */
export function openSync(options: SyncOptions): SyncService {
  const { logger } = options
  const instance = createInstance()
  const { streams, uploads } = options.shares
  const serverStreams = streams.for({ person: undefined })
  const pool = createPool({
    url: options.url,
    applicationName: `holdfast sync ${instance}`,
    connectionsMax: LOG_CONNECTIONS_MAX,
    lifetimeS: LOG_CONNECTION_LIFETIME_S,
    settings: LOG_SETTINGS,
    onError: (error) => logger.log('warn', 'a connection to the operation log was lost', { reason: error.message }),
  })
  const restricted = openRestrictedPools(options)
  const clock = options.clock ?? systemClock
  const failures = createPolicyFailures(logger, clock)
  const stopping = new AbortController()
  const feed = createCheckpointFeed()
  const dependencies = createDependencyIndex()
  const log = createLogReader({ url: options.url, connectionsMax: CONCURRENT_READS_MAX })
  const marks = createMarks(pool, feed)
  let plan: SyncPlan | undefined
  let isReady = false
  const downloads = createDownloads()
  const fence = createFence(pool)
  const waiting = Promise.withResolvers<void>()
  const leftOuts = createLeftOuts(logger)
  const retirement = createRetirement({ pool: fence.pool, feed, onRetired: (names) => downloads.forget(names) })
  const replicator = startReplicator({
    retirement,
    pool: fence.pool,
    readerPool: restricted.readerPool,
    evaluator: createRowEvaluator({
      pool: restricted.evaluatorPool,
      admin: pool,
      failures,
      limits: options.rowLimits,
      timeZone: createTimeZone(pool),
      logger,
    }),
    fence,
    instance,
    onStandby() {
      // Devices come back, to the other process or until this one takes over.
      connections.endAll(standingBy())
      waiting.resolve()
    },
    onWaiting: () => waiting.resolve(),
    url: options.url,
    readerUrl: options.readerUrl,
    feed,
    dependencies,
    onConcerned: leftOuts.changed,
    compile: options.compile,
    prepare: options.prepare,
    classes: { max: options.options.syncClassesMax, perAuthorMax: options.options.syncClassesPerPersonMax },
    ...(options.snapshotBytesMax === undefined ? {} : { snapshotBytesMax: options.snapshotBytesMax }),
    batchLimits: options.batchLimits,
    quietCompileMs: options.quietCompileMs ?? QUIET_COMPILE_MS,
    onPlan: (next) => {
      logRefusedTables(logger, next, plan)
      // Those of the first plan are from reading its tables.
      if (plan && next.version !== plan.version) failures.forget()
      plan = next
    },
    logger,
  })
  const ready = replicator.ready.then(() => void (isReady = true))
  const settled = Promise.race([ready, waiting.promise])
  for (const promise of [ready, settled]) promise.catch(() => undefined) // whoever waits for it sees the rejection
  const connections = createConnections(() => clock.now())
  const keys = createKeyEvaluator({
    pool: serverStreams,
    concurrency: CONCURRENT_EVALUATIONS_MAX,
    peopleMax: EVALUATED_TOGETHER_MAX,
    failures,
  })
  const keyMoments = createKeyMoments({ readerPool: restricted.readerPool, logger })
  const compactions = createCompactions()
  const compactor = startCompactor({
    pool: fence.pool,
    isLeading: () => fence.epoch !== undefined,
    feed,
    compactions,
    retire: retirement.retire,
    intervalS: options.options.syncCompactIntervalS,
    opsPerSecond: options.options.syncCompactOpsPerSecond,
    ...(options.compactSlackOps === undefined ? {} : { slackOps: options.compactSlackOps }),
    logger,
  })
  const context = {
    ...createLookups(pool),
    feed,
    marks,
    dependencies,
    log,
    downloads,
    sharedLines: createSharedLines(feed),
    compactions,
    leftOuts,
    bucketsMax: options.bucketsPerClientMax ?? BUCKETS_PER_CLIENT_MAX,
    keys,
    keyMoments,
    logger,
    plan: (): ActivePlan | undefined => replicator.plan(),
  }

  function requireReady(): void {
    if (replicator.isStandby) throw standingBy()
    if (!isReady) throw notReady()
  }

  function currentPlan(): SyncPlan {
    if (!plan) throw notReady()
    return plan
  }

  return {
    ready,
    settled,
    plan: () => plan,
    status: () => ({
      ready: replicator.isServing,
      standby: replicator.isStandby,
      connections: connections.size,
      opId: feed.opId,
      filling: replicator.filling,
      problem: replicator.problem,
      floods: describeFloods({ buckets: leftOuts.list(), classes: fullClassLists(replicator.plan()) }),
    }),
    compact: compactor.round,
    routes: async (app) => {
      decodeLargeBodiesInTurn(app, (request) => request.caller?.userId)
      await app.register(
        streamRoutes({
          context,
          connections,
          connectionsMax: options.options.syncConnectionsMax,
          perPersonMax: options.options.syncStreamsPerPersonMax,
          compress: options.options.syncCompress,
          requireReady,
          watchSession: options.watchSession,
        }),
      )
      await app.register(
        writeCheckpointRoutes({ pool, marks, connections, requireReady, signal: stopping.signal, logger }),
      )
      await app.register(
        uploadRoutes({
          context: {
            share: uploads,
            admin: pool,
            exposedSchemas: options.exposedSchemas,
            statementTimeoutMs: options.options.syncUploadStatementTimeoutMs,
            transactionTimeoutMs: options.options.syncUploadTimeoutMs,
            runOperationsMax: RUN_OPERATIONS_MAX,
            now: () => performance.now(),
          },
          underWay: createUploadsUnderWay({
            perPersonMax: options.options.syncUploadsPerPersonMax,
            uploadsMax: options.options.syncUploadsMax,
          }),
        }),
      )
      await app.register(schemaRoutes({ share: streams, plan: currentPlan }))
      await app.register(incompleteRoutes({ leftOuts, requireReady }))
      await app.register(
        inspectRoutes({
          pool,
          ...restricted,
          requestPool: serverStreams,
          marks,
          plan: currentPlan,
          active: () => replicator.plan(),
          isSettled: () => replicator.isSettled(),
          failures,
          status: () =>
            readStatus({
              pool,
              plan,
              failing: failures.list(),
              ready: replicator.isServing,
              reader: replicator,
              checkpoint: feed,
              devices: {
                connected: connections.size,
                people: connections.people,
                keyEvaluations: keys.evaluations,
              },
              leftOut: leftOuts.list(),
              leftOutClasses: fullClassLists(replicator.plan()),
              compaction: {
                intervalSeconds: options.options.syncCompactIntervalS,
                last: compactor.last,
                sinceStart: compactor.total,
              },
            }),
          findPerson: options.findPerson,
          logger,
        }),
      )
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await connections.drain(options.drainMs ?? DRAIN_MS)
      connections[Symbol.dispose]() // ends open streams first, so that devices reconnect elsewhere
      await compactor[Symbol.asyncDispose]()
      await replicator[Symbol.asyncDispose]()
      await log[Symbol.asyncDispose]()
      await restricted.evaluatorPool[Symbol.asyncDispose]()
      await restricted.readerPool[Symbol.asyncDispose]()
      await pool[Symbol.asyncDispose]()
    },
  }
}
