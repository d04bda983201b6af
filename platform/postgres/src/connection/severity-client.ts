import type { Duplex } from 'node:stream'
import { Client, type ClientConfig } from 'pg'
import { createFramer, type Framer } from '../wire/framer.ts'
import { MESSAGE } from '../wire/messages.ts'
import { readFields } from '../wire/server-error.ts'

/** Undeclared members of the driver's connection. */
interface DriverConnection {
  attachListeners(stream: Duplex): void
  prependListener(event: 'errorMessage', listener: (error: { severity?: string | undefined }) => void): void
}

/**
 * The driver's client with language-independent error severity (field `V`). The driver reads field `S`, which Postgres translates to `lc_messages`, a superuser
 * setting.
 */
export class SeverityClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config)
    const { connection } = this as unknown as { readonly connection: DriverConnection }
    const attach = connection.attachListeners.bind(connection)
    /** Severities of received errors that the driver has not reported yet. */
    const severities: (string | undefined)[] = []
    connection.attachListeners = (stream) => {
      const read = createSeverityReader((severity) => severities.push(severity))
      // Runs before the driver's listener, which reports all errors of a chunk at once.
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

/** Calls `onError` for each `ErrorResponse` in a stream with its untranslated severity; `undefined` before Postgres 9.6. */
function createSeverityReader(onError: (severity: string | undefined) => void): Framer {
  return createFramer({
    isSkipped: (type) => type !== MESSAGE.error,
    onMessage(_type, buffer, start, end) {
      onError(new Map(readFields(buffer, start, end)).get('V'))
    },
  })
}
