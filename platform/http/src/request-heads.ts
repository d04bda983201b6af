import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { HoldfastError } from '@holdfast/foundation'
import { ADDRESS_CHARACTERS_MAX, HEAD_BYTES_MAX, HEAD_DRAIN_MS } from './limits.ts'

/**
 * Refuses addresses above `ADDRESS_CHARACTERS_MAX` with 414, in the form of the service that they lead to. Call it after the hooks that let other origins read
 * answers.
 */
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
 * Answers a request that Node's parser gave up, before its address was known. The body has the fields in which the clients of all services look for a code and a message,
 * and pages of every origin may read it.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  // Passed on where the connection broke: nobody reads an answer.
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
  // A connection with unread bytes is reset when it is closed, and its client would not get to read the answer.
  socket.resume()
  setTimeout(() => socket.destroy(), HEAD_DRAIN_MS).unref()
}
