import type { Clock } from '@holdfast/foundation'
import { type Pool, SQLSTATE, sqlstateOf } from '@holdfast/postgres'

/** The database of the accounts, and the clock that its rows are stamped by. */
export interface Store {
  /** Connected as the owner of schema `auth`: this service is its own authority. */
  readonly pool: Pool
  readonly clock: Clock
}

/** Returns the time that rows are stamped with, as ISO 8601. */
export function isoNow(clock: Clock): string {
  return new Date(clock.now()).toISOString()
}

/** The name of the unique constraint or index that a statement ran into, or `undefined` for any other error. */
export function violatedConstraint(error: unknown): string | undefined {
  if (sqlstateOf(error) !== SQLSTATE.uniqueViolation) return undefined
  const { constraint } = error as { readonly constraint?: unknown }
  return typeof constraint === 'string' ? constraint : undefined
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function isUuid(text: string): boolean {
  return UUID.test(text)
}
