import type { FastifyRequest } from 'fastify'
import { assert } from '@holdfast/foundation'

/** The caller as verified by the gateway. Services never read the token itself. */
export interface Caller {
  /** Postgres role: `anon`, `authenticated`, `service_role` or a project role. */
  readonly role: string
  /** Verified claims; `{ role: 'anon' }` for API keys. */
  readonly claims: Readonly<Record<string, unknown>>
  /** Subject of the token (the user id), if any. */
  readonly userId: string | undefined
  /** Token expiry in seconds since the epoch; `undefined` if it does not expire. */
  readonly expiresAtS: number | undefined
  /** Whether no valid key or token was given, where none is required. */
  readonly isKeyless?: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the gateway before a service's route runs. */
    caller: Caller | undefined
  }
}

/** Returns the verified caller of a request from the gateway. */
export function requireCaller(request: FastifyRequest): Caller {
  assert(request.caller, 'the gateway sets the caller of every request')
  return request.caller
}
