import { HoldfastError, assert } from '@holdfast/foundation'
import {
  MESSAGE,
  queryable,
  queryMessage,
  readServerError,
  takeOver,
  type Queryable,
  type SqlFragment,
} from '@holdfast/postgres'
import { createBatchQueue } from '../batch-queue.ts'
import { replicationConnectionLost } from '../errors.ts'
import type { Tuple } from '../events.ts'
import { connect } from '../connect.ts'
import { parseCopyRow } from './parse-row.ts'

const BATCH_ROWS = 1000
/** Waiting wire bytes at which the socket is paused and a smaller batch is delivered. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024

export interface CopyRowsOptions {
  readonly url: string
  /**
   * The query to copy, without parameters, which `COPY` does not support. A function runs first on the connection, to enter a snapshot or construct the query.
   */
  readonly query: SqlFragment | ((db: Queryable) => Promise<SqlFragment>)
  /** Maximum rows per batch, default 1000; fewer if large. */
  readonly batchRows?: number
  /** Cancels immediately by dropping the connection, even while waiting for a lock. */
  readonly signal?: AbortSignal
}

/**
 * Reads a query's rows with `COPY … TO STDOUT` on a dedicated connection, in the stream's text form. Applies backpressure. Leaving the loop closes the
 * connection.
 *
 * @throws {HoldfastError} `replication_connection_lost`; Postgres's errors with their SQLSTATE in `code`
 */
export async function* copyRows(options: CopyRowsOptions): AsyncGenerator<readonly Tuple[], void, void> {
  const client = await connect({ url: options.url, applicationName: 'holdfast snapshot', replication: false })
  let statement: string
  try {
    const query = typeof options.query === 'function' ? await options.query(queryable(client)) : options.query
    const { text, values } = query.render()
    assert(values.length === 0, 'COPY takes no parameters')
    statement = `copy (${text}) to stdout`
  } catch (error) {
    await client.end().catch(() => undefined) // report the first error
    throw error
  }

  const { signal, batchRows = BATCH_ROWS } = options
  let rows: Tuple[] = []
  const queue = createBatchQueue<Tuple>({
    itemsMin: batchRows,
    itemsMax: batchRows,
    bytesMax: WAITING_BYTES_MAX,
    onFull: () => wire.pause(),
    onRoom: () => wire.resume(),
  })
  const wire = takeOver(client, {
    onMessage(type, buffer, start, end) {
      if (type === MESSAGE.copyData) {
        rows.push(parseCopyRow(buffer, start, end))
      } else if (type === MESSAGE.copyDone) {
        flush(0)
        queue.end()
      } else if (type === MESSAGE.error) {
        queue.end(readServerError(buffer, start, end))
      }
    },
    onChunkEnd: flush,
    onLost: (cause) => queue.end(cause instanceof HoldfastError ? cause : replicationConnectionLost(cause)),
  })

  function flush(bytes: number): void {
    if (rows.length === 0) return
    queue.push(rows, bytes)
    rows = []
  }

  const onAbort = (): void => {
    rows = []
    wire.destroy()
    queue.end(signal?.reason as Error)
  }
  try {
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted) onAbort()
    wire.send(queryMessage(statement))
    for (let batch = await queue.take(); batch !== undefined; batch = await queue.take()) yield batch
  } finally {
    signal?.removeEventListener('abort', onAbort)
    wire.destroy()
  }
}
