import { Pool as DriverPool, type ClientBase, type PoolClient, type QueryResult } from 'pg'
import { assert } from '@holdfast/foundation'
import { RESET_STATEMENTS } from '../pipeline/reset-statements.ts'
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
  /** How long a caller waits for a connection, in milliseconds. */
  readonly acquireTimeoutMs?: number
  /** Server-side `statement_timeout` of every statement, in milliseconds; 0 for none. */
  readonly statementTimeoutMs?: number
  /**
   * Leaves nothing of a transaction in the session, for pools that run functions of the project: one may have called `set_config` for longer than its
   * transaction, or made a temporary table. Default false.
   */
  readonly resetAfterTransaction?: boolean
  /**
   * Every statement runs in a read-only transaction, which nothing that it calls can make writable, and settings are undone after it: for pools that evaluate
   * what users wrote. Default false.
   */
  readonly isReadOnly?: boolean
  /**
   * Settings that a role has by `alter role … set …`. Postgres applies them at login only, so `runAs` puts them on the transaction. Default: none.
   */
  readonly roleSettings?: (role: string) => Readonly<Record<string, string>>
  /** More settings of each connection, such as planner switches; names and values are constants of ours. */
  readonly settings?: Readonly<Record<string, string>>
  /**
   * Seconds after which a connection is replaced once it is idle: a backend keeps the memory that its largest statement took. Default: never, as long as it is
   * used.
   */
  readonly lifetimeS?: number
  /** Called when an idle connection breaks; the pool replaces it by itself. */
  readonly onError?: (error: Error) => void
}

/** Runs statements on one connection. Rows come back as objects keyed by column. */
export interface Queryable {
  /** @returns the rows of one statement */
  query<Row extends object>(statement: SqlFragment): Promise<Row[]>
  /** @returns how many rows the statement touched */
  execute(statement: SqlFragment): Promise<number>
}

/** A connection inside an open transaction. Not to be used after `body` has returned. */
export interface Transaction extends Queryable {
  /** The driver's client, for what needs the wire: pipelines, `COPY`, binary results. */
  readonly client: ClientBase
  /** Of the pool that the connection is from; see {@link PoolOptions.roleSettings}. */
  readonly roleSettings?: ((role: string) => Readonly<Record<string, string>>) | undefined
}

/** Lends connections. */
export interface Connections extends Queryable {
  /** Of the pool; see {@link PoolOptions.roleSettings}. */
  readonly roleSettings?: PoolOptions['roleSettings'] | undefined
  /** Runs `body` in a transaction: commits when it resolves, rolls back when it rejects. */
  transaction<T>(body: (tx: Transaction) => Promise<T>): Promise<T>
  /** Lends a connection outside any transaction. It is discarded, not reused, when `body` rejects. */
  withClient<T>(body: (client: PoolClient) => Promise<T>): Promise<T>
}

export interface Pool extends Connections, AsyncDisposable {
  /** Connections that are open, those of them that are free, and callers that wait for one. */
  usage(): { readonly open: number; readonly idle: number; readonly waiting: number }
}

/** A {@link Queryable} over a driver's client that another person owns. */
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

/** The settings of an address and those of the pool, of which the driver takes only one. */
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

/** Opens a pool of connections to one database as one role. Connections are made when first needed. */
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
    // A lent connection that breaks between two statements tells no other listener; its next statement fails and it is discarded.
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
        // A connection that is gone, or hangs, tells no more than `error` does; `broken` discards it.
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

/**
 * Has a pool connect before its first statement: logging in takes longer than most statements. A failure is not reported here: the first statement connects again, and
 * meets it.
 */
export function connectAhead(pool: Pick<Pool, 'withClient'>): void {
  pool.withClient(() => Promise.resolve()).catch(() => undefined)
}

/** Postgres answers `commit` with `ROLLBACK` when a statement had failed and `body` went on as if it had not. */
function assertCommitted(answer: QueryResult | QueryResult[]): void {
  const first = Array.isArray(answer) ? answer[0] : answer
  assert(first?.command === 'COMMIT', 'a transaction whose statement failed must not end as if it had succeeded')
}
