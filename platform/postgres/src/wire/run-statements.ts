import type { Client } from 'pg'
import { copyFailMessage, MESSAGE, queryMessage, readAffected, readColumns, readDataRow } from './messages.ts'
import { openQuietClient } from './quiet-client.ts'
import { readServerError } from './server-error.ts'
import { takeOver } from './take-over.ts'

export interface StatementsOptions {
  /** Determines the rights; used for a dedicated session. */
  readonly url: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
  /** Session settings, as `options` of a connection string. */
  readonly settings?: string
  /** Run before the text and left out of the results, such as `begin` and the caller's claims. */
  readonly preparation?: string
  /** Statements as for `psql -c`: one transaction unless they say otherwise. */
  readonly text: string
  /** Rows and bytes kept of all results. Further rows are counted only. */
  readonly rowsMax: number
  readonly bytesMax: number
  /** Called once, before sending the text. */
  readonly onConnected?: (pid: number) => Promise<void> | void
  /** Closes the connection. The caller ends the session by its pid. */
  readonly signal: AbortSignal
}

/** Result of one statement. Values are texts as Postgres prints them. */
export interface StatementResult {
  /** `SELECT 3`, `UPDATE 1`. */
  readonly tag: string
  /** Missing for statements without rows. */
  readonly columns?: readonly { readonly name: string; readonly typeOid: number }[]
  readonly rows: readonly (readonly (string | null)[])[]
  /** Rows of the statement, including those that were not kept. */
  readonly count: number
}

/** Results of statements up to the end or the first error, which Postgres rolls back. */
export interface StatementsOutcome {
  readonly results: readonly StatementResult[]
  /** Notices and warnings, the first ones. */
  readonly notices: readonly string[]
  readonly error?: Error
}

/**
 * Runs statements in a session of their own and keeps a bounded part of their rows, however many there are.
 *
 * @throws a lost connection; the signal's reason
 */
export async function runStatements(options: StatementsOptions): Promise<StatementsOutcome> {
  const { url, applicationName, settings, signal } = options
  signal.throwIfAborted()
  const client = await openQuietClient(url, applicationName, settings)
  try {
    if (options.preparation !== undefined) await client.query(options.preparation)
    await options.onConnected?.((client as unknown as Backend).processID)
    signal.throwIfAborted()
  } catch (error) {
    await client.end().catch(() => undefined) // possibly broken already
    throw error
  }
  return run(client, options)
}

/** Notices kept of a run, and their length in characters. */
const NOTICES_MAX = 50
const NOTICE_CHARS_MAX = 1_000

/** Backend data from the driver. */
interface Backend {
  readonly processID: number
}

interface Pending {
  columns: StatementResult['columns']
  rows: (string | null)[][]
  count: number
}

const nothingPending = (): Pending => ({ columns: undefined, rows: [], count: 0 })

async function run(client: Client, { text, rowsMax, bytesMax, signal }: StatementsOptions): Promise<StatementsOutcome> {
  const done = Promise.withResolvers<StatementsOutcome>()
  const results: StatementResult[] = []
  const notices: string[] = []
  let pending = nothingPending()
  let rows = 0
  let bytes = 0
  let error: Error | undefined
  const isFull = (): boolean => rows >= rowsMax || bytes >= bytesMax
  const wire = takeOver(client, {
    // Rows beyond the limits never enter memory.
    isSkipped(type) {
      if (type === MESSAGE.copyData) return true
      if (type !== MESSAGE.dataRow || !isFull()) return false
      pending.count += 1
      return true
    },
    onMessage(type, buffer, start, end) {
      if (type === MESSAGE.rowDescription) pending.columns = readColumns(buffer, start, end)
      else if (type === MESSAGE.dataRow) {
        pending.rows.push(readDataRow(buffer, start, end).map((value) => value?.toString('utf8') ?? null))
        pending.count += 1
        rows += 1
        bytes += end - start
      } else if (type === MESSAGE.commandComplete) {
        const { columns, count, rows: kept } = pending
        const tag = buffer.toString('utf8', start, end - 1)
        const affected = columns ? count : readAffected(buffer, start, end)
        results.push({ tag, rows: kept, count: affected, ...(columns && { columns }) })
        pending = nothingPending()
      } else if (type === MESSAGE.copyIn) wire.send(copyFailMessage('COPY from a client is not supported here'))
      else if (type === MESSAGE.error) error = readServerError(buffer, start, end)
      else if (type === MESSAGE.notice && notices.length < NOTICES_MAX) {
        const { severity, message } = readServerError(buffer, start, end)
        notices.push(`${severity}: ${message}`.slice(0, NOTICE_CHARS_MAX))
      } else if (type === MESSAGE.readyForQuery) done.resolve({ results, notices, ...(error && { error }) })
    },
    onChunkEnd: () => undefined,
    onLost: (cause) => done.reject(error ?? new Error('Connection terminated unexpectedly', { cause })),
  })
  const abort = (): void => done.reject(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  try {
    wire.send(queryMessage(text))
    return await done.promise
  } finally {
    signal.removeEventListener('abort', abort)
    if (signal.aborted) wire.destroy()
    else await wire.close()
  }
}
