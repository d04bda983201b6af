import type { FastifyPluginAsync } from 'fastify'
import { decodeLargeBodiesInTurn } from '@holdfast/http'
import type { SyncPlan } from '@holdfast/policy'
import { fullClassLists } from '../buckets/access-classes.ts'
import { createCheckAdmission } from '../check/check-admission.ts'
import { readStatus, type SyncStatus } from '../inspect/status.ts'
import type { Ground, Writing } from '../open-parts.ts'
import type { SyncOptions } from '../options.ts'
import { checkRoutes } from './check.ts'
import { incompleteRoutes } from './incomplete.ts'
import { inspectRoutes } from './inspect.ts'
import { schemaRoutes } from './schema.ts'
import { streamRoutes } from './stream.ts'
import { streamSocketRoutes } from './stream-socket.ts'
import type { UploadCounter } from '../upload/upload-counts.ts'
import { uploadRoutes } from './upload.ts'
import { writeCheckpointRoutes } from './write-checkpoint.ts'
import { writeRulesRoutes } from './write-rules.ts'
import type { DeviceSockets } from '../rsocket/device-sockets.ts'
import type { StreamServer } from '../stream/serve-stream.ts'
import type { StreamContext } from '../stream/stream-context.ts'
import { RUN_OPERATIONS_MAX } from '../upload/limits.ts'
import { createUploadAdmission } from '../upload/upload-admission.ts'
import { createCompiledRules } from '../write-rules/compiled-rules.ts'

export interface SyncRoutesOptions {
  readonly counter: UploadCounter
  readonly options: SyncOptions
  readonly ground: Ground
  readonly writing: Writing
  readonly context: StreamContext
  readonly server: StreamServer
  readonly sockets: DeviceSockets
  /** @throws {HoldfastError} while devices are not served */
  readonly requireReady: () => void
  /** @throws {HoldfastError} before the first compilation of policies */
  readonly currentPlan: () => SyncPlan
  /** Aborts when the service is disposed. */
  readonly signal: AbortSignal
}

/** Registers all routes of the service. */
export function syncRoutes(given: SyncRoutesOptions): FastifyPluginAsync {
  const { options, ground, requireReady, currentPlan, signal } = given
  const { logger } = options
  const compress = options.options.syncCompress
  const { pool, walBarrier, connections, notices, omittedTables } = ground
  return async (app) => {
    decodeLargeBodiesInTurn(app, (request) => request.caller?.userId)
    await app.register(streamRoutes({ server: given.server, compress }))
    await app.register(streamSocketRoutes(given.sockets))
    await app.register(writeCheckpointRoutes({ pool, walBarrier, notices, connections, requireReady, signal, logger }))
    await app.register(uploads(given))
    await app.register(
      schemaRoutes({
        share: options.shares.streams,
        compress,
        plan: currentPlan,
        findHiddenTables: options.findHiddenTables,
      }),
    )
    await app.register(
      writeRulesRoutes({
        share: options.shares.streams,
        compress,
        rules: createCompiledRules({
          readerPool: ground.restricted.readerPool,
          read: options.readWrites,
          plan: currentPlan,
          now: () => performance.now(),
        }),
      }),
    )
    await app.register(incompleteRoutes({ omittedTables, requireReady }))
    await app.register(
      checkRoutes({
        share: options.shares.streams,
        active: given.writing.active,
        underWay: createCheckAdmission(() => performance.now()),
        requireReady,
        logger,
      }),
    )
    await app.register(inspection(given))
  }
}

function uploads({ options, ground, counter }: SyncRoutesOptions): FastifyPluginAsync {
  return uploadRoutes({
    context: {
      share: options.shares.uploads,
      admin: ground.pool,
      exposedSchemas: options.exposedSchemas,
      statementTimeoutMs: options.options.syncUploadStatementTimeoutMs,
      transactionTimeoutMs: options.options.syncUploadTimeoutMs,
      runOperationsMax: RUN_OPERATIONS_MAX,
      now: () => performance.now(),
    },
    counter,
    logger: options.logger,
    problems: ground.uploadProblems,
    connections: ground.connections,
    underWay: createUploadAdmission({
      perPersonMax: options.options.syncUploadsPerPersonMax,
      uploadsMax: options.options.syncUploadsMax,
    }),
  })
}

function inspection(given: SyncRoutesOptions): FastifyPluginAsync {
  const { options, ground, writing } = given
  const { replicator } = writing
  return inspectRoutes({
    pool: ground.pool,
    ...ground.restricted,
    requestPool: options.shares.streams.for({ userKey: undefined }),
    walBarrier: ground.walBarrier,
    plan: given.currentPlan,
    active: writing.active,
    isSettled: () => replicator.isSettled(),
    failures: ground.failures,
    status: () => status(given),
    findUser: options.findUser,
    logger: options.logger,
  })
}

function status({ options, ground, writing, context }: SyncRoutesOptions): Promise<SyncStatus> {
  const { replicator, compactor } = writing
  const { connections } = ground
  return readStatus({
    pool: ground.pool,
    server: ground.instance,
    plan: writing.plan(),
    failing: ground.failures.list(),
    ready: replicator.isServing || ground.follower.isReady,
    replica: ground.replicated?.status(),
    reader: replicator,
    checkpoint: ground.feed,
    devices: {
      connected: connections.size,
      people: connections.people,
      keyEvaluations: context.keys.evaluations,
    },
    leftOut: ground.omittedTables.list(),
    leftOutClasses: fullClassLists(writing.active()),
    compaction: {
      intervalSeconds: options.options.syncCompactIntervalS,
      last: compactor.last,
      sinceStart: compactor.total,
    },
  })
}
