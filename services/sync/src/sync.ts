import type { FastifyPluginAsync } from 'fastify'
import type { SyncPlan } from '@holdfast/policy'
import { systemClock } from '@holdfast/foundation'
import type { MigrationSource } from '@holdfast/postgres'
import { fullClassLists } from './buckets/access-classes.ts'
import type { Compaction } from './compaction/compactor.ts'
import { Devices } from './devices/devices.ts'
import { notReady, standingBy, syncRefused } from './errors.ts'
import type { FillProgress } from './fill/fill-turns.ts'
import { describeFloods } from './inspect/describe-floods.ts'
import { DRAIN_MS, DRAINED_PER_SECOND } from './limits.ts'
import { createStreamContext, openGround, startWriting, type Ground, type Writing } from './open-parts.ts'
import type { SyncOptions } from './options.ts'
import type { ReplicaStatus } from './replica/replicated-log.ts'
import { UploadCounter, type UploadCounts } from './upload/upload-counts.ts'
import { syncRoutes } from './routes/sync-routes.ts'
import { openDeviceSockets, type DeviceSockets } from './rsocket/device-sockets.ts'
import { createStreamServer, type StreamServer } from './stream/serve-stream.ts'
import type { StreamContext } from './stream/stream-context.ts'

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

export interface SyncService extends AsyncDisposable {
  /** Resolves when the first state of all tables is in the log; requests before that get `PSYNC_S2302`. */
  readonly ready: Promise<void>
  /** Resolves when sync is ready, or when it waits because another process has the lease or open transactions delay the start. */
  readonly settled: Promise<void>
  /** Routes `POST /sync/stream`, the same over WebSocket, `GET /write-checkpoint2.json`, `POST /sync/v1/upload` and `GET /sync/v1/schema`. Mount at the root, behind the gateway. */
  readonly routes: FastifyPluginAsync
  /** Returns the served plan, or the previous one while policies are being compiled. */
  plan(): SyncPlan | undefined
  /** Whether another process on this database reads the changes; this one takes over when that one ends. */
  readonly isStandby: boolean
  /** For health checks and operators. Not ready while data is known to be missing; `problem` says what. */
  status(): {
    readonly ready: boolean
    /** This process serves devices from the log that another one writes. */
    readonly following: boolean
    /** Another process on this database reads the changes, and this one cannot follow it yet. */
    readonly standby: boolean
    /** The database does not meet the prerequisites of sync; see `problem`. */
    readonly refused: boolean
    readonly connections: number
    /** Distinct users among the connections. */
    readonly users: number
    readonly opId: number
    /** Age of the oldest received transaction that is not in the log; of a follower, how long it has not been able to read the log. */
    readonly lagSeconds: number
    readonly uploads: UploadCounts
    /** `undefined` without a replica. */
    readonly replica: ReplicaStatus | undefined
    /** The table being read, and its rows read since the process started. */
    readonly filling: FillProgress | undefined
    readonly problem: string | undefined
    /** Users who cause too many buckets or classes for others, and the data that devices lack because of it. */
    readonly floods: string | undefined
  }
  /** Connected and recently seen devices, for operators. */
  readonly devices: Devices
  /** Runs a round of compaction now. */
  compact(): Promise<Compaction>
}

/** Connects the parts in the order in which data flows through them. Makes no decisions itself. */
export function openSync(options: SyncOptions): SyncService {
  const stopping = new AbortController()
  const ground = openGround(options, stopping.signal)
  const writing = startWriting(options, ground)
  const context = createStreamContext(options, ground, writing)
  const { connections, feed, omittedTables, follower } = ground
  const { replicator, compactor, plan } = writing
  const counter = new UploadCounter()
  let isReady = false
  const ready = replicator.ready.then(() => void (isReady = true))
  const settled = Promise.race([ready, writing.waiting])
  for (const promise of [ready, settled]) promise.catch(() => undefined) // callers that wait see the rejection

  function requireReady(): void {
    if (replicator.isStandby) {
      if (!follower.isReady) throw standingBy()
      return
    }
    if (replicator.refusal !== undefined) throw syncRefused()
    if (!isReady) throw notReady()
  }

  function currentPlan(): SyncPlan {
    if (replicator.refusal !== undefined) throw syncRefused()
    const current = plan()
    if (!current) throw notReady()
    return current
  }

  const { server, sockets } = openTransports(options, ground, context, requireReady)
  const hasOthers = (): boolean => replicator.isStandby || writing.hasFollowers()
  const devices = openDevices(options, ground, writing, { isReady: () => isReady, hasOthers })

  return {
    ready,
    settled,
    devices,
    plan,
    get isStandby() {
      return replicator.isStandby
    },
    status: () => ({
      ready: replicator.isServing || follower.isReady,
      following: follower.isReady,
      standby: replicator.isStandby && !follower.isReady,
      refused: replicator.refusal !== undefined,
      connections: connections.size,
      users: connections.people,
      opId: feed.opId,
      lagSeconds: follower.isFollowing ? follower.lagSeconds : secondsSince(replicator.progress.waitingSinceMs),
      uploads: counter.counts(),
      replica: ground.replicated?.status(),
      filling: replicator.filling,
      problem: replicator.problem ?? follower.problem,
      floods: describeFloods({ buckets: omittedTables.list(), classes: fullClassLists(writing.active()) }),
    }),
    compact: () => compactor.round(),
    routes: syncRoutes({
      options,
      ground,
      writing,
      context,
      server,
      sockets,
      counter,
      requireReady,
      currentPlan,
      signal: stopping.signal,
    }),
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await connections.drain(options.drainMs ?? DRAIN_MS, hasOthers() ? DRAINED_PER_SECOND : undefined)
      connections[Symbol.dispose]() // ends open streams first, so that devices reconnect elsewhere
      await sockets[Symbol.asyncDispose]()
      await ground.seen[Symbol.asyncDispose]()
      await compactor[Symbol.asyncDispose]()
      await replicator[Symbol.asyncDispose]()
      await follower.stop()
      await closeGround(ground)
    },
  }
}

async function closeGround({ notices, log, restricted, pool }: Ground): Promise<void> {
  await notices[Symbol.asyncDispose]()
  await log[Symbol.asyncDispose]()
  await restricted.evaluatorPool[Symbol.asyncDispose]()
  await restricted.readerPool[Symbol.asyncDispose]()
  await pool[Symbol.asyncDispose]()
}

/** Opens what serves streams: over HTTP, and over WebSockets. */
function openTransports(
  { options, readCaller, watchSession, clock = systemClock, logger }: SyncOptions,
  { connections, seen }: Ground,
  context: StreamContext,
  requireReady: () => void,
): { readonly server: StreamServer; readonly sockets: DeviceSockets } {
  const server = createStreamServer({
    context,
    connections,
    connectionsMax: options.syncConnectionsMax,
    perPersonMax: options.syncStreamsPerPersonMax,
    requireReady,
    watchSession,
    seen,
  })
  const { syncCompress: compress } = options
  return { server, sockets: openDeviceSockets({ server, readCaller, compress, now: () => clock.now(), logger }) }
}

function openDevices(
  options: SyncOptions,
  ground: Ground,
  { replicator, active }: Writing,
  { isReady, hasOthers }: { readonly isReady: () => boolean; readonly hasOthers: () => boolean },
): Devices {
  return new Devices({
    pool: ground.pool,
    requestPool: options.shares.streams.for({ userKey: undefined }),
    node: ground.instance,
    connections: ground.connections,
    notices: ground.notices,
    seen: ground.seen,
    problems: ground.uploadProblems,
    omittedTables: ground.omittedTables,
    active,
    sync: () => ({
      hasOthers: hasOthers(),
      isReady: isReady() || ground.follower.isReady,
      hasPlan: active() !== undefined,
      problem: replicator.problem,
      lagSeconds: secondsSince(replicator.progress.waitingSinceMs),
      filling: replicator.filling,
    }),
  })
}

function secondsSince(ms: number | undefined): number {
  return ms === undefined ? 0 : Math.max(0, Date.now() - ms) / 1_000
}
