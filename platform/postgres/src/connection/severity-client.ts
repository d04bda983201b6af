import type { Duplex } from 'node:stream'
import { Client, type ClientConfig } from 'pg'
import { createFramer, type Framer } from '../wire/framer.ts'
import { MESSAGE } from '../wire/messages.ts'
import { readFields } from '../wire/server-error.ts'

/** What the driver's connection has beside its declared members. */
interface DriverConnection {
  attachListeners(stream: Duplex): void
  prependListener(event: 'errorMessage', listener: (error: { severity?: string | undefined }) => void): void
}

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
      const read = createSeverityReader((severity) => severities.push(severity))
      // Before the driver's listener, which tells of all errors of a chunk at once.
      stream.on('data', (chunk: Buffer) => {
        try {
          read(chunk)
        } catch (error) {
          stream.destroy(error as Error)
        }
      })
      attach(stream)
    }
    connection.prependListener('errorMessage', (error) => {
      error.severity = severities.shift() ?? error.severity
    })
  }
}

/** Calls `onError` for each `ErrorResponse` of a stream, with its severity as Postgres does not translate it; `undefined` before Postgres 9.6. */
function createSeverityReader(onError: (severity: string | undefined) => void): Framer {
  return createFramer({
    isSkipped: (type) => type !== MESSAGE.error,
    onMessage(_type, buffer, start, end) {
      onError(new Map(readFields(buffer, start, end)).get('V'))
    },
  })
}
