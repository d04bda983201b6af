import { Client } from 'pg'
import { rememberConnection } from './lost-connections.ts'
import { MessageWriter } from './message-writer.ts'
import { MESSAGE } from './messages.ts'
import { bufferedSocket } from './read-buffer.ts'
import { readServerError } from './server-error.ts'
import { takeOver } from './take-over.ts'

/** A statement prepared on opening a connection. */
export interface PreparedStatement {
  readonly text: string
  /** SQL types of its parameters. */
  readonly parameterTypes: readonly string[]
}

export interface StatementConnectionOptions<Name extends string> {
  readonly url: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
  /** Session settings; constants only. */
  readonly settings: Readonly<Record<string, string>>
  /** Its statements by name. */
  readonly statements: Readonly<Record<Name, PreparedStatement>>
  /** Timeout in ms for connecting and preparing. */
  readonly connectTimeoutMs: number
  /** Called once when either side closes the connection. */
  readonly onLost: () => void
}

/**
 * Receives a row: the bytes of a `DataRow` with binary columns. A row larger than `READ_BYTES` has its own buffer; other rows' bytes are invalid after the
 * call.
 */
export type RowHandler = (buffer: Buffer, start: number, end: number) => void

/**
 * A connection that runs prepared statements one at a time with binary results. The driver only connects; it would convert every value to a string, which
 * dominates the cost of a large read.
 */
export interface StatementConnection<Name extends string> {
  isLost(): boolean
  /** @throws errors of Postgres, or a lost connection as recognized by `isConnectionLoss` */
  run(name: Name, values: readonly unknown[], onRow: RowHandler): Promise<void>
  close(): void
}

/** A run in progress. */
interface Run {
  readonly onRow: RowHandler
  readonly done: PromiseWithResolvers<void>
  error: Error | undefined
}

export async function openStatementConnection<Name extends string>(
  options: StatementConnectionOptions<Name>,
): Promise<StatementConnection<Name>> {
  const { url, applicationName, settings, statements, connectTimeoutMs, onLost } = options
  const client = new Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: connectTimeoutMs,
    keepAlive: true,
    stream: bufferedSocket,
  })
  client.on('error', () => undefined) // the awaited call reports the failure
  try {
    await client.connect()
    rememberConnection(client)
    for (const [name, value] of Object.entries(settings)) await client.query(`set ${name} = ${value}`)
    for (const [name, { text, parameterTypes }] of Object.entries<PreparedStatement>(statements)) {
      const types = parameterTypes.length > 0 ? ` (${parameterTypes.join(', ')})` : ''
      await client.query(`prepare ${preparedName(name)}${types} as ${text}`)
    }
  } catch (error) {
    await client.end().catch(() => undefined) // possibly broken already
    throw error
  }
  const writer = new MessageWriter()
  let isLost = false
  let current: Run | undefined

  function lose(cause: Error): void {
    if (isLost) return
    isLost = true
    onLost()
    current?.done.reject(current.error ?? cause)
    current = undefined
  }

  const wire = takeOver(client, {
    onMessage(type, buffer, start, end) {
      if (!current) return
      if (type === MESSAGE.dataRow) current.onRow(buffer, start, end)
      else if (type === MESSAGE.error) current.error = readServerError(buffer, start, end)
      else if (type === MESSAGE.readyForQuery) {
        const { done, error } = current
        current = undefined
        if (error) done.reject(error)
        else done.resolve()
      }
    },
    onChunkEnd: () => undefined,
    onLost: (cause) => lose(connectionLost(cause)),
  })

  return {
    isLost: () => isLost,
    run(name, values, onRow) {
      if (isLost) return Promise.reject(connectionLost())
      current = { onRow, done: Promise.withResolvers(), error: undefined }
      writer.bind(preparedName(name), values, 'binary')
      writer.execute()
      writer.sync()
      wire.send(...writer.take())
      return current.done.promise
    },
    close() {
      wire.destroy()
      lose(connectionLost())
    },
  }
}

const preparedName = (name: string): string => `holdfast_${name}`

function connectionLost(cause?: Error): Error {
  return new Error('Connection terminated unexpectedly', { cause })
}
