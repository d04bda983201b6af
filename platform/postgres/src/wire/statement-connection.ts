import { Client } from 'pg'
import { createMessageWriter } from './message-writer.ts'
import { MESSAGE } from './messages.ts'
import { bufferedSocket } from './read-buffer.ts'
import { readServerError } from './server-error.ts'
import { takeOver } from './take-over.ts'

export interface StatementConnectionOptions {
  readonly url: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
  /** Of the session; names and values are constants of ours. */
  readonly settings: Readonly<Record<string, string>>
  /** The statement that it runs. */
  readonly text: string
  /** Types of its parameters, in SQL. */
  readonly parameterTypes: readonly string[]
  /** Called once, when the connection is closed by whichever side. */
  readonly onLost: () => void
}

/**
 * Receives a row: the bytes of a `DataRow`, columns in binary. A row of more than `READ_BYTES` has a buffer of its own, which lives as long as anything of it;
 * the bytes of others are void after the call.
 */
export type RowHandler = (buffer: Buffer, start: number, end: number) => void

/**
 * A connection that has one statement prepared and runs it as often as it is asked, once at a time, with results in binary. The driver connects; it would turn
 * every value into a string, which costs more than all the rest of a large read.
 */
export interface StatementConnection {
  isLost(): boolean
  /** @throws what Postgres refused, or a lost connection, as `isConnectionLoss` knows it */
  run(values: readonly unknown[], onRow: RowHandler): Promise<void>
  close(): void
}

const STATEMENT = 'holdfast_statement'

/** A run that is under way. */
interface Run {
  readonly onRow: RowHandler
  readonly done: PromiseWithResolvers<void>
  error: Error | undefined
}

export async function openStatementConnection(options: StatementConnectionOptions): Promise<StatementConnection> {
  const { url, applicationName, settings, text, parameterTypes, onLost } = options
  const client = new Client({
    connectionString: url,
    application_name: applicationName,
    keepAlive: true,
    stream: bufferedSocket,
  })
  client.on('error', () => undefined) // the caller sees the failure in what it awaits
  await client.connect()
  for (const [name, value] of Object.entries(settings)) await client.query(`set ${name} = ${value}`)
  await client.query(`prepare ${STATEMENT} (${parameterTypes.join(', ')}) as ${text}`)
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
    run(values, onRow) {
      if (isLost) return Promise.reject(connectionLost())
      current = { onRow, done: Promise.withResolvers(), error: undefined }
      writer.bind(STATEMENT, values, 'binary')
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

function connectionLost(cause?: Error): Error {
  return new Error('Connection terminated unexpectedly', { cause })
}
