import type { Client } from 'pg'
import { copyFailMessage, MESSAGE, queryMessage } from './messages.ts'
import { openQuietClient } from './quiet-client.ts'
import { readServerError } from './server-error.ts'
import { takeOver } from './take-over.ts'

export interface ScriptOptions {
  /** Determines its rights; used for a dedicated session. */
  readonly url: string
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string
  /** Session settings, which the script may change. */
  readonly settings: string
  /** Statements as for `psql -c`: one transaction unless they say otherwise. */
  readonly text: string
  /** Called once, before sending the script. */
  readonly onConnected: (pid: number) => Promise<void>
  /** Cancels the running statement and closes the connection. */
  readonly signal: AbortSignal
}

/** Result of a script's last statement. */
export type ScriptResult =
  | { readonly kind: 'command'; readonly tag: string }
  | { readonly kind: 'rows'; readonly count: number }

/** Backend data from the driver. */
interface Backend {
  readonly processID: number
}

/**
 * Runs statements in a dedicated session, counting rows without keeping them.
 *
 * @returns the result of the last statement
 * @throws errors of Postgres; a lost connection; the signal's reason
 */
export async function runScript(options: ScriptOptions): Promise<ScriptResult> {
  const { url, applicationName, settings, text, onConnected, signal } = options
  signal.throwIfAborted()
  const client = await openQuietClient(url, applicationName, settings)
  try {
    await onConnected((client as unknown as Backend).processID)
    signal.throwIfAborted()
  } catch (error) {
    await client.end().catch(() => undefined) // possibly broken already
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
    // No row is held in memory, however long.
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
