import type { Client } from 'pg'
import { copyFailMessage, MESSAGE, queryMessage } from './messages.ts'
import { openQuietClient } from './quiet-client.ts'
import { readServerError } from './server-error.ts'
import { takeOver } from './take-over.ts'

export interface ScriptOptions {
  /** Whose rights it has; a session of its own. */
  readonly url: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
  /** Settings of the session, which the script may change. */
  readonly settings: string
  /** Statements, as `psql -c` takes them: one transaction, unless they say otherwise. */
  readonly text: string
  /** Told once, before the script is sent. */
  readonly onConnected: (pid: number) => Promise<void>
  /** Ends it: the connection is closed, and Postgres told to cancel what runs. */
  readonly signal: AbortSignal
}

/** What the last statement of a script did. */
export type ScriptResult =
  | { readonly kind: 'command'; readonly tag: string }
  | { readonly kind: 'rows'; readonly count: number }

/** Of a session; the driver has it. */
interface Backend {
  readonly processID: number
}

/**
 * Runs statements in a session of their own. Rows are counted and not kept, whatever they have.
 *
 * @returns what the last statement did
 * @throws what Postgres refused; a lost connection; the reason of the signal
 */
export async function runScript(options: ScriptOptions): Promise<ScriptResult> {
  const { url, applicationName, settings, text, onConnected, signal } = options
  signal.throwIfAborted()
  const client = await openQuietClient(url, applicationName, settings)
  try {
    await onConnected((client as unknown as Backend).processID)
    signal.throwIfAborted()
  } catch (error) {
    await client.end().catch(() => undefined) // it may be broken already
    throw error
  }
  return run(client, text, signal)
}

async function run(client: Client, text: string, signal: AbortSignal): Promise<ScriptResult> {
  const done = Promise.withResolvers<ScriptResult>()
  let result: ScriptResult = { kind: 'command', tag: '' }
  let error: Error | undefined
  let hasColumns = false
  let rows = 0
  const wire = takeOver(client, {
    // None is held in memory, however long it is.
    isSkipped(type) {
      if (type === MESSAGE.dataRow) rows++
      return type === MESSAGE.dataRow || type === MESSAGE.copyData
    },
    onMessage(type, buffer, start, end) {
      if (type === MESSAGE.rowDescription) hasColumns = true
      else if (type === MESSAGE.commandComplete) {
        result = hasColumns
          ? { kind: 'rows', count: rows }
          : { kind: 'command', tag: buffer.toString('utf8', start, end - 1) }
        hasColumns = false
        rows = 0
      } else if (type === MESSAGE.copyIn) wire.send(copyFailMessage('COPY from a client is not supported here'))
      else if (type === MESSAGE.error) error = readServerError(buffer, start, end)
      else if (type === MESSAGE.readyForQuery) {
        if (error) done.reject(error)
        else done.resolve(result)
      }
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
