import { Pool as DriverPool, type ClientBase, type PoolClient, type QueryResult } from 'pg'
import { assert } from '@holdfast/foundation'
import { RESET_STATEMENTS } from '../pipeline/run-then-reset.ts'
import type { SqlFragment } from '../sql/sql.ts'
import { rememberConnection } from '../wire/lost-connections.ts'
import { renderSettings } from './own-settings.ts'
import { SeverityClient } from './severity-client.ts'
import { isConnectionLoss } from './sqlstate.ts'

export interface PoolOptions {
  /** `postgres://role:password@host:port/database`. */
  readonly url: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
  readonly connectionsMax: number
  /** Wait in ms for a connection. */
  readonly acquireTimeoutMs?: number
  /** `statement_timeout` in ms; 0 for none. */
  readonly statementTimeoutMs?: number
  /**
   * Resets the session after each transaction, for pools that run project functions, which may have called `set_config` beyond the transaction or created
   * temporary tables. Default: false.
   */
  readonly resetAfterTransaction?: boolean
  /** Runs every statement in an enforced read-only transaction and resets settings afterwards, for pools that evaluate user expressions. Default: false. */
  readonly isReadOnly?: boolean
  /** Settings from `alter role … set …`. Postgres applies them only at login, so `runAs` sets them per transaction. Default: none. */
  readonly roleSettings?: (role: string) => Readonly<Record<string, string>>
  /** Further settings of each connection, such as planner switches; constants only. */
  readonly settings?: Readonly<Record<string, string>>
  /** Seconds after which an idle connection is replaced, because a backend keeps the memory of its largest statement. Default: never. */
  readonly lifetimeS?: number
  /** Called when an idle connection breaks; the pool replaces it. */
  readonly onError?: (error: Error) => void
}

/** Runs statements on one connection. Rows are objects keyed by column. */
export interface Queryable {
  /** @returns the rows of one statement */
  query<Row extends object>(statement: SqlFragment): Promise<Row[]>
  /** @returns the number of affected rows */
  execute(statement: SqlFragment): Promise<number>
}

/** A connection in an open transaction. Must not be used after `body` has settled. */
export interface Transaction extends Queryable {
  /** The driver's client, for wire-level features: pipelines, `COPY`, binary results. */
  readonly client: ClientBase
  /** From the connection's pool; see {@link PoolOptions.roleSettings}. */
  readonly roleSettings?: ((role: string) => Readonly<Record<string, string>>) | undefined
}

/** Lends connections. */
export interface Connections extends Queryable {
  /** From the pool; see {@link PoolOptions.roleSettings}. */
  readonly roleSettings?: PoolOptions['roleSettings'] | undefined
  /** Runs `body` in a transaction: commits if it resolves, rolls back if it rejects. */
  transaction<T>(body: (tx: Transaction) => Promise<T>): Promise<T>
  /** Lends a connection without a transaction. Discards it if `body` rejects. */
  withClient<T>(body: (client: PoolClient) => Promise<T>): Promise<T>
}

export interface Pool extends Connections, AsyncDisposable {
  /** Open connections, idle ones, and waiting callers. */
  usage(): { readonly open: number; readonly idle: number; readonly waiting: number }
}

/** Wraps a driver client owned by the caller. */
export function queryable(client: ClientBase, roleSettings?: PoolOptions['roleSettings']): Transaction {
  return {
    client,
    roleSettings,
    async query<Row extends object>(statement: SqlFragment): Promise<Row[]> {
      const { text, values } = statement.render()
      return (await client.query<Row>(text, [...values])).rows
    },
    async execute(statement: SqlFragment): Promise<number> {
      const { text, values } = statement.render()
      return (await client.query(text, [...values])).rowCount ?? 0
    },
  }
}

/** Combines the settings of URL and pool, because the driver accepts only one. */
function startOf({ url, settings = {} }: PoolOptions): {
  readonly connectionString: string
  readonly options?: string
} {
  const address = new URL(url)
  const options = renderSettings(settings, address.searchParams.get('options'))
  if (options === '') return { connectionString: url }
  address.searchParams.delete('options')
  return { connectionString: address.href, options }
}

/** Opens a pool of connections to one database as one role. Connects on demand. */
export function createPool(options: PoolOptions): Pool {
  const pool = new DriverPool({
    Client: SeverityClient,
    ...startOf(options),
    application_name: options.applicationName,
    max: options.connectionsMax,
    connectionTimeoutMillis: options.acquireTimeoutMs ?? 10_000,
    idleTimeoutMillis: 60_000,
    ...(options.lifetimeS ? { maxLifetimeSeconds: options.lifetimeS } : {}),
    keepAlive: true,
    ...(options.statementTimeoutMs ? { statement_timeout: options.statementTimeoutMs } : {}),
  })
  pool.on('error', (error) => options.onError?.(error))
  pool.on('connect', (client) => {
    // Otherwise a lent connection breaking between statements would be an unhandled error; its next statement fails and discards it.
    client.on('error', () => undefined)
    rememberConnection(client)
  })
  const begin = options.isReadOnly ? 'begin transaction read only' : 'begin'
  const after = options.resetAfterTransaction || options.isReadOnly ? RESET_STATEMENTS : []
  const commit = ['commit', ...after].join('; ')
  const rollback = ['rollback', ...after].join('; ')
  let ending: Promise<void> | undefined

  return {
    roleSettings: options.roleSettings,
    usage: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    transaction,
    withClient,
    query: (statement) => single((tx) => tx.query(statement)),
    execute: (statement) => single((tx) => tx.execute(statement)),
    [Symbol.asyncDispose]: () => (ending ??= pool.end()),
  }

  async function withClient<T>(body: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    let failed = true
    try {
      const result = await body(client)
      failed = false
      return result
    } finally {
      client.release(failed)
    }
  }

  async function transaction<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    let broken = true
    try {
      await client.query(begin)
      try {
        const result = await body(queryable(client, options.roleSettings))
        assertCommitted(await client.query(commit))
        broken = false
        return result
      } catch (error) {
        // `error` already reports a lost or hanging connection; `broken` discards it.
        if (!isConnectionLoss(error))
          broken = await client.query(rollback).then(
            () => false,
            () => true,
          )
        throw error
      }
    } finally {
      client.release(broken)
    }
  }

  function single<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
    return options.isReadOnly ? transaction(body) : withPooled(body)
  }

  async function withPooled<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    let broken = false
    try {
      return await body(queryable(client))
    } catch (error) {
      broken = isConnectionLoss(error)
      throw error
    } finally {
      client.release(broken)
    }
  }
}

/** Connects in advance, because logging in takes longer than most statements. Failures are ignored: the first statement connects again and reports them. */
export function connectAhead(pool: Pick<Pool, 'withClient'>): void {
  pool.withClient(() => Promise.resolve()).catch(() => undefined)
}

/** Postgres responds to `commit` with `ROLLBACK` if a statement failed and `body` ignored it. */
function assertCommitted(answer: QueryResult | QueryResult[]): void {
  const first = Array.isArray(answer) ? answer[0] : answer
  assert(first?.command === 'COMMIT', 'a transaction whose statement failed must not end as if it had succeeded')
}
