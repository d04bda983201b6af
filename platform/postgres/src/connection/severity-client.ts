import type { Duplex } from 'node:stream'
import { Client, type ClientConfig } from 'pg'

/** What the driver's connection has beside its declared members. */
interface DriverConnection {
  attachListeners(stream: Duplex): void
  prependListener(event: 'errorMessage', listener: (error: { severity?: string | undefined }) => void): void
}

const HEADER_BYTES = 5
const ERROR_RESPONSE = 0x45

/**
 * The driver's client. Its errors have the severity that is the same in every language (field `V`): the driver itself reads field `S`, which Postgres translates
 * to `lc_messages`, which only superusers may set.
 */
export class SeverityClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config)
    const { connection } = this as unknown as { readonly connection: DriverConnection }
    const attach = connection.attachListeners.bind(connection)
    /** Of errors that have been read and that the driver has yet to tell of. */
    const severities: (string | undefined)[] = []
    connection.attachListeners = (stream) => {
      // Before the driver's listener, which tells of all errors of a chunk at once.
      stream.on(
        'data',
        createSeverityReader((severity) => severities.push(severity)),
      )
      attach(stream)
    }
    connection.prependListener('errorMessage', (error) => {
      error.severity = severities.shift() ?? error.severity
    })
  }
}

/**
 * Calls `onError` for each `ErrorResponse` of a stream, with its severity as Postgres does not translate it; `undefined` before Postgres 9.6.
 *
 * @returns a function that takes the chunks in order
 */
export function createSeverityReader(onError: (severity: string | undefined) => void): (chunk: Buffer) => void {
  /** The beginning of a message whose header, or whose error, has not all arrived. */
  let begun = Buffer.alloc(0)
  /** Bytes of other messages that are still to come. */
  let left = 0
  return (incoming) => {
    let chunk = incoming
    if (left > 0) {
      const past = Math.min(left, chunk.length)
      left -= past
      chunk = chunk.subarray(past)
    }
    if (begun.length > 0) chunk = Buffer.concat([begun, chunk])
    let at = 0
    while (chunk.length - at >= HEADER_BYTES) {
      const end = at + 1 + chunk.readUInt32BE(at + 1)
      const isError = chunk[at] === ERROR_RESPONSE
      if (end > chunk.length && isError) break
      if (isError) onError(readSeverity(chunk, at + HEADER_BYTES, end))
      left = Math.max(0, end - chunk.length)
      at = Math.min(end, chunk.length)
    }
    begun = Buffer.from(chunk.subarray(at))
  }
}

/** Field `V` of an error. */
function readSeverity(buffer: Buffer, start: number, end: number): string | undefined {
  for (let at = start; at < end && buffer[at] !== 0;) {
    const stop = buffer.indexOf(0, at + 1)
    if (buffer[at] === 0x56) return buffer.toString('latin1', at + 1, stop)
    at = stop + 1
  }
  return undefined
}
