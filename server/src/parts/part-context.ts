import type { Clock, Logger } from '@holdfast/foundation'
import type { LogService } from '@holdfast/protocol'
import { createPool, SHARED_TRANSACTIONS, SHORT_TRANSACTIONS, type Pool, type PoolOptions } from '@holdfast/postgres'
import type { SettingOrigins } from '../config/load-config.ts'
import type { Config } from '../config/options.ts'
import type { OpenHoldfastOptions } from '../holdfast.ts'
import type { LogStore } from '../logs/log-store.ts'

/** Shared dependencies of the server's parts. */
export interface PartContext {
  readonly config: Config
  readonly origins: SettingOrigins | undefined
  readonly logger: Logger
  readonly requestLog: Logger | undefined
  /** The log that the console searches, if it is kept. */
  readonly logs: LogStore | undefined
  readonly clock: Clock
  /** Creation time of the installation, preserved by a reset. */
  readonly bornAt: Date | undefined
  /** Closes everything in reverse order of opening. Parts add what they open. */
  readonly opened: AsyncDisposableStack
  /** Pools opened by {@link openPool}, by name. */
  readonly pools: Map<string, OpenPool>
  /** The same, with a logger whose lines are of a service. */
  as(service: LogService): PartContext
  /** Settings of connections whose transactions wait for nothing but Postgres. */
  readonly transactionSettings: Readonly<Record<string, string>>
  /** Opens a pool with {@link transactionSettings} and adds it to {@link opened}. */
  openPool(options: Omit<PoolOptions, 'onError'>): Pool
}

/** A pool with its metrics. */
export interface OpenPool {
  readonly pool: Pool
  readonly connectionsMax: number
  /** Returns the number of callers waiting for a connection. */
  readonly waiting: () => number
}

export function createPartContext(
  { config, origins, logger, requestLog, logs, clock, preparation }: OpenHoldfastOptions,
  opened: AsyncDisposableStack,
): PartContext {
  const onError = (error: Error): void => logger.log('debug', 'an idle connection broke', { error: error.message })
  const pools = new Map<string, OpenPool>()
  const transactionSettings = config.databaseUrl === undefined ? SHORT_TRANSACTIONS : SHARED_TRANSACTIONS
  const context: PartContext = {
    config,
    origins,
    logger,
    requestLog,
    logs,
    clock,
    bornAt: preparation?.bornAt === undefined ? undefined : new Date(preparation.bornAt),
    opened,
    pools,
    transactionSettings,
    as: (service) => (logs ? { ...context, logger: logs.loggerFor(service) } : context),
    openPool(options) {
      const pool = opened.use(
        createPool({ ...options, settings: { ...transactionSettings, ...options.settings }, onError }),
      )
      const { applicationName, connectionsMax } = options
      pools.set(applicationName, { pool, connectionsMax, waiting: () => pool.usage().waiting })
      return pool
    },
  }
  return context
}
