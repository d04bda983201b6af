import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { HoldfastError } from '@holdfast/foundation'
import { ADDRESS_CHARACTERS_MAX, HEAD_BYTES_MAX, HEAD_DRAIN_MS } from './limits.ts'

/** Refuses URLs longer than `ADDRESS_CHARACTERS_MAX` with 414 in the target service's format. Call after the CORS hooks. */
export function limitAddresses(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ url }) => {
    if (url.length <= ADDRESS_CHARACTERS_MAX) return
    throw new HoldfastError('HF_ADDRESS_TOO_LONG', 414, 'The address of the request is too long', {
      detail: `It has ${url.length} characters, and ${ADDRESS_CHARACTERS_MAX} are allowed.`,
      hint: 'Send long values in a body: call a function with POST, or ask for fewer rows at once.',
    })
  })
}

interface Answer {
  readonly status: number
  readonly code: string
  readonly message: string
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'HF_HEADERS_TOO_LARGE',
    message: `The address and the headers of a request may have ${HEAD_BYTES_MAX} bytes together`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'HF_REQUEST_TIMEOUT', message: 'The request did not arrive in time' },
}

const MALFORMED: Answer = { status: 400, code: 'HF_REQUEST_MALFORMED', message: 'This is not an HTTP request' }

/**
 * Responds to a request that Node's parser rejected before its URL was known. The body has the fields in which all services' clients look for code and message,
 * and every origin may read it.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // On a broken connection nobody reads a response.
  if (error.code === 'ECONNRESET' || !socket.writable || socket.destroyed) return void socket.destroy()
  const { status, code, message } = ANSWERS[error.code ?? ''] ?? MALFORMED
  const body = JSON.stringify({
    code,
    error_code: code,
    error: STATUS_CODES[status],
    message,
    msg: message,
    statusCode: String(status),
    details: null,
    hint: null,
  })
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'access-control-allow-origin: *',
    'x-content-type-options: nosniff',
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Closing a connection with unread bytes resets it, and the client would lose the response.
  socket.resume()
  setTimeout(() => socket.destroy(), HEAD_DRAIN_MS).unref()
}
