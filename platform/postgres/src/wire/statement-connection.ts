import { Client } from 'pg'
import { rememberConnection } from './lost-connections.ts'
import { createMessageWriter } from './message-writer.ts'
import { MESSAGE } from './messages.ts'
import { bufferedSocket } from './read-buffer.ts'
import { readServerError } from './server-error.ts'
import { takeOver } from './take-over.ts'

/** A statement that a connection prepares when it opens. */
export interface PreparedStatement {
  readonly text: string
  /** Types of its parameters, in SQL. */
  readonly parameterTypes: readonly string[]
}

export interface StatementConnectionOptions<Name extends string> {
  readonly url: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
  /** Of the session; names and values are constants of ours. */
  readonly settings: Readonly<Record<string, string>>
  /** The statements that it runs, by names of ours. */
  readonly statements: Readonly<Record<Name, PreparedStatement>>
  /** Called once, when the connection is closed by whichever side. */
  readonly onLost: () => void
}

/**
 * Receives a row: the bytes of a `DataRow`, columns in binary. A row of more than `READ_BYTES` has a buffer of its own, which lives as long as anything of it;
 * the bytes of others are void after the call.
 */
export type RowHandler = (buffer: Buffer, start: number, end: number) => void

/**
 * A connection that has some statements prepared and runs them as often as it is asked, one at a time, with results in binary. The driver connects; it would turn
 * every value into a string, which costs more than all the rest of a large read.
 */
export interface StatementConnection<Name extends string> {
  isLost(): boolean
  /** @throws what Postgres refused, or a lost connection, as `isConnectionLoss` knows it */
  run(name: Name, values: readonly unknown[], onRow: RowHandler): Promise<void>
  close(): void
}

/** A run that is under way. */
interface Run {
  readonly onRow: RowHandler
  readonly done: PromiseWithResolvers<void>
  error: Error | undefined
}

export async function openStatementConnection<Name extends string>(
  options: StatementConnectionOptions<Name>,
): Promise<StatementConnection<Name>> {
  const { url, applicationName, settings, statements, onLost } = options
  const client = new Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    stream: bufferedSocket,
  })
  client.on('error', () => undefined) // the caller sees the failure in what it awaits
  try {
    await client.connect()
    rememberConnection(client)
    for (const [name, value] of Object.entries(settings)) await client.query(`set ${name} = ${value}`)
    for (const [name, { text, parameterTypes }] of Object.entries<PreparedStatement>(statements))
      await client.query(`prepare ${preparedName(name)} (${parameterTypes.join(', ')}) as ${text}`)
  } catch (error) {
    await client.end().catch(() => undefined) // it may be broken already
    throw error
  }
  const writer = createMessageWriter()
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
