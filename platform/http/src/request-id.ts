import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TrustProxy } from './trust-proxy.ts'

/** What is safe in a log, a header and a shell. 128 characters have room for a W3C trace context or two UUIDs. */
const REQUEST_ID = /^[\w.:+=/-]{1,128}$/

/** Returns the id that a trusted proxy gave a request in `x-request-id`, else a new one. */
export function requestIdOf({ headers, socket }: IncomingMessage, trustProxy: TrustProxy | false): string {
  const given = headers['x-request-id']
  const isTrusted = trustProxy !== false && socket.remoteAddress !== undefined && trustProxy(socket.remoteAddress, 0)
  return isTrusted && typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID()
}
