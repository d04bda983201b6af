import type { FastifyRequest } from 'fastify'
import { assert } from '@holdfast/foundation'

/** Who is asking, as the gateway has verified. Services never look at the token itself. */
export interface Caller {
  /** Postgres role: `anon`, `authenticated`, `service_role` or one of the project's own. */
  readonly role: string
  /** Verified claims; `{ role: 'anon' }` when only an API key was given. */
  readonly claims: Readonly<Record<string, unknown>>
  /** Subject of the token (the user's id), when there is one. */
  readonly userId: string | undefined
  /** When the token ends, in seconds since the epoch; `undefined` when it does not. */
  readonly expiresAtS: number | undefined
  /** Whether neither a key nor a token came that is good, where none is needed. */
  readonly isKeyless?: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gateway before any service's route runs. */
    caller: Caller | undefined
  }
}

/** The verified caller of a request that came through the gateway. */
export function requireCaller(request: FastifyRequest): Caller {
  assert(request.caller, 'the gateway sets the caller of every request')
  return request.caller
}
