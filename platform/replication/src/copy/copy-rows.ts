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
/** Wire bytes waiting for the consumer, from which the socket is paused and a smaller batch is handed on. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024

export interface CopyRowsOptions {
  readonly url: string
  /**
   * What to copy: a query, without parameters because `COPY` takes none. As a function it runs on the connection first, to enter
   * a snapshot or to find out what to ask.
   */
  readonly query: SqlFragment | ((db: Queryable) => Promise<SqlFragment>)
  /** Rows per batch at most, 1000 by default; fewer when they are large. */
  readonly batchRows?: number
  /** Ends the reading at once, also while the statement waits for a lock: the connection is dropped. */
  readonly signal?: AbortSignal
}

/**
 * Reads the rows of a query with `COPY … TO STDOUT` on a connection of its own, values in the same text form as the stream gives.
 * The socket is paused while the consumer is busy. Leaving the loop early closes the connection.
 *
 * @throws {HoldfastError} `replication_connection_lost`; errors of the statement come as Postgres's own, with its SQLSTATE in `code`
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
    await client.end().catch(() => undefined) // the first error tells why
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
