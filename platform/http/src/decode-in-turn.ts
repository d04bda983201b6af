import type { FastifyInstance, FastifyRequest } from 'fastify'
import { HoldfastError } from '@holdfast/foundation'
import { LARGE_BODY_BYTES } from './limits.ts'

interface Turn {
  readonly isAbandoned: () => boolean
  run(): void
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

function addParser(
  app: FastifyInstance,
  contentType: string,
  personOf: (request: FastifyRequest) => string | undefined,
  parse: (request: FastifyRequest, body: Buffer, done: (error: Error | null, body?: unknown) => void) => void,
): void {
  const takeTurn = createTurns()
  app.addContentTypeParser<Buffer>(contentType, { parseAs: 'buffer' }, (request, body, done) => {
    const decode = (): void => parse(request, body, done)
    if (body.length < LARGE_BODY_BYTES) {
      decode()
      return
    }
    takeTurn(personOf(request) ?? request.ip, {
      isAbandoned: () => request.raw.socket.destroyed,
      run: decode,
      drop: () => done(new HoldfastError('connection_closed', 499, 'The client went away')),
    })
  })
}

/** Runs tasks one at a time, round robin by user. */
export function createTurns(): (person: string, turn: Turn) => void {
  /** By user, in order of turns. */
  const waiting = new Map<string, Turn[]>()
  let isBusy = false

  function next(): void {
    const [first] = waiting
    if (first === undefined) {
      isBusy = false
      return
    }
    const [person, turns] = first
    waiting.delete(person)
    const turn = turns.shift()
    if (turns.length > 0) waiting.set(person, turns)
    if (!turn || turn.isAbandoned()) {
      turn?.drop()
      setImmediate(next)
      return
    }
    const startedAt = performance.now()
    try {
      turn.run()
    } finally {
      setTimeout(next, performance.now() - startedAt)
    }
  }

  return (person, turn) => {
    const turns = waiting.get(person)
    if (turns) turns.push(turn)
    else waiting.set(person, [turn])
    if (isBusy) return
    isBusy = true
    setImmediate(next)
  }
}
