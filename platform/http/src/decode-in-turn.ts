import type { FastifyInstance, FastifyRequest } from 'fastify'
import { HoldfastError, nextTurn, Semaphore } from '@holdfast/foundation'
import { LARGE_BODY_BYTES } from './limits.ts'

interface LargeBody {
  readonly isAbandoned: () => boolean
  decode(): void
  drop(): void
}

/**
 * Serializes decoding of large JSON bodies in this scope, round robin by user, each followed by an equal pause. Decoding blocks the event loop, and one user
 * could send large bodies endlessly.
 *
 * The handler's work on the body up to its first await counts as decoding.
 */
export function decodeLargeBodiesInTurn(
  app: FastifyInstance,
  personOf: (request: FastifyRequest) => string | undefined,
): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  addParser(app, 'application/json', personOf, (request, body, done) => void parse(request, body.toString(), done))
}

/** The same for scopes whose handlers receive raw bytes and decode them before their first await. */
export function passLargeBodiesInTurn(
  app: FastifyInstance,
  personOf: (request: FastifyRequest) => string | undefined,
): void {
  app.removeAllContentTypeParsers()
  addParser(app, '*', personOf, (_request, body, done) => done(null, body))
}

/**
 * The same for JSON that comes over an upgraded connection.
 *
 * @returns a function that decodes one text; rejects with `connection_closed` 499 if `isAbandoned` when its turn comes
 */
export function decodeJsonInTurn(
  app: FastifyInstance,
): (body: Buffer, key: string, isAbandoned: () => boolean) => Promise<unknown> {
  const parse = app.getDefaultJsonParser('error', 'error') as unknown as ParseText
  const semaphore = new Semaphore({ permits: 1 })
  return async (body, key, isAbandoned) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const decode = (): void =>
      parse(undefined, body.toString(), (error, value) => (error ? reject(error) : resolve(value)))
    if (body.length < LARGE_BODY_BYTES) decode()
    else void decodeInTurn(semaphore, key, { isAbandoned, decode, drop: () => reject(clientGone()) })
    return promise
  }
}

/** Fastify's parser, which ignores the request. */
type ParseText = (request: undefined, text: string, done: (error: Error | null, value?: unknown) => void) => void

function clientGone(): HoldfastError {
  return new HoldfastError('connection_closed', 499, 'The client went away')
}

function addParser(
  app: FastifyInstance,
  contentType: string,
  personOf: (request: FastifyRequest) => string | undefined,
  parse: (request: FastifyRequest, body: Buffer, done: (error: Error | null, body?: unknown) => void) => void,
): void {
  const semaphore = new Semaphore({ permits: 1 })
  app.addContentTypeParser<Buffer>(contentType, { parseAs: 'buffer' }, (request, body, done) => {
    const decode = (): void => parse(request, body, done)
    if (body.length < LARGE_BODY_BYTES) {
      decode()
      return
    }
    void decodeInTurn(semaphore, personOf(request) ?? request.ip, {
      isAbandoned: () => request.raw.socket.destroyed,
      decode,
      drop: () => done(clientGone()),
    })
  })
}

/** Holds the one permit for twice as long as decoding takes. */
export async function decodeInTurn(semaphore: Semaphore, key: string, body: LargeBody): Promise<void> {
  const release = await semaphore.acquire({ key })
  await nextTurn()
  if (body.isAbandoned()) {
    release()
    body.drop()
    return
  }
  const startedAt = performance.now()
  try {
    body.decode()
  } finally {
    setTimeout(release, performance.now() - startedAt)
  }
}
