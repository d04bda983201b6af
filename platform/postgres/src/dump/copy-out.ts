import type { Client } from 'pg'
import { MESSAGE, queryMessage } from '../wire/messages.ts'
import { readServerError } from '../wire/server-error.ts'
import { takeOver } from '../wire/take-over.ts'

/** Bytes of rows per batch. */
const BATCH_BYTES = 4 * 1024 * 1024

export interface CopyOut {
  /** A dedicated idle connection, closed at the end. */
  readonly client: Client
  /** `copy … to stdout`. */
  readonly text: string
  /** Receives complete rows; reading pauses meanwhile. */
  readonly onRows: (bytes: Buffer, rows: number) => Promise<void>
  /** Timeout in ms of a silent server. */
  readonly silenceMs: number
}

/**
 * Reads the rows of `COPY … TO STDOUT` with backpressure.
 *
 * @throws errors of Postgres or `onRows`, a lost connection, a timeout
 */
export async function copyOut({ client, text, onRows, silenceMs }: CopyOut): Promise<void> {
  const done = Promise.withResolvers<void>()
  let parts: Buffer[] = []
  let bytes = 0
  let error: Error | undefined
  let isEnded = false
  let handing = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  const watch = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => done.reject(new Error(`Postgres has been silent for ${silenceMs / 1000} s`)), silenceMs)
  }
  const hand = (): void => {
    const [taken, rows] = [Buffer.concat(parts), parts.length]
    parts = []
    bytes = 0
    clearTimeout(timer)
    wire.pause()
    handing = handing
      .then(() => onRows(taken, rows))
      .then(() => {
        wire.resume()
        if (!isEnded) watch()
      })
    handing.catch(done.reject)
  }
  const wire = takeOver(client, {
    onMessage(type, buffer, start, end) {
      // One message is one row; the buffer is reused.
      if (type === MESSAGE.copyData) {
        parts.push(Buffer.from(buffer.subarray(start, end)))
        bytes += end - start
      } else if (type === MESSAGE.error) error = readServerError(buffer, start, end)
      else if (type === MESSAGE.readyForQuery) {
        isEnded = true
        clearTimeout(timer)
      }
    },
    onChunkEnd() {
      if (error && isEnded) return done.reject(error)
      if (bytes >= BATCH_BYTES || (isEnded && bytes > 0)) hand()
      else if (!isEnded) watch()
      if (isEnded) handing.then(done.resolve, done.reject)
    },
    onLost: done.reject,
  })
  try {
    watch()
    wire.send(queryMessage(text))
    await done.promise
  } finally {
    clearTimeout(timer)
    await wire.close()
  }
}
