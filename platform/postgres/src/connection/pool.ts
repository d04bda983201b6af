import pg from 'pg'
import type { SqlFragment } from '../sql/sql.ts'

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
  readonly client: pg.ClientBase
}

export interface Pool extends Queryable, AsyncDisposable {
  /** Runs `body` in a transaction: commits when it resolves, rolls back when it rejects. */
  transaction<T>(body: (tx: Transaction) => Promise<T>): Promise<T>
  /** Lends a connection outside any transaction. It is discarded, not reused, when `body` rejects. */
  withClient<T>(body: (client: pg.PoolClient) => Promise<T>): Promise<T>
}

/** A {@link Queryable} over a driver's client that somebody else owns. */
export function queryable(client: pg.ClientBase): Transaction {
  return {
    client,
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

/** Opens a pool of connections to one database as one role. Connections are made when first needed. */
export function createPool(options: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.connectionsMax,
    connectionTimeoutMillis: options.acquireTimeoutMs ?? 10_000,
    idleTimeoutMillis: 60_000,
    ...(options.statementTimeoutMs ? { statement_timeout: options.statementTimeoutMs } : {}),
  })
  pool.on('error', (error) => options.onError?.(error))

  async function withClient<T>(body: (client: pg.PoolClient) => Promise<T>): Promise<T> {
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
      await client.query('begin')
      try {
        const result = await body(queryable(client))
        await client.query('commit')
        broken = false
        return result
      } catch (error) {
        await client.query('rollback').then(
          () => (broken = false),
          () => undefined, // the connection is gone; `broken` discards it and the first error tells why
        )
        throw error
      }
    } finally {
      client.release(broken)
    }
  }

  return {
    transaction,
    withClient,
    query: (statement) => withPooled((tx) => tx.query(statement)),
    execute: (statement) => withPooled((tx) => tx.execute(statement)),
    async [Symbol.asyncDispose]() {
      if (!pool.ended) await pool.end()
    },
  }

  async function withPooled<T>(body: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    try {
      return await body(queryable(client))
    } finally {
      client.release()
    }
  }
}
