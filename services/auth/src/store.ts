import type { Clock } from '@holdfast/foundation'
import { type Pool, SQLSTATE, sqlstateOf } from '@holdfast/postgres'

/** The accounts' database, and the clock for its timestamps. */
export interface Store {
  /** Connected as the owner of schema `auth`, because this service enforces its own access rules. */
  readonly pool: Pool
  readonly clock: Clock
}

/** Returns the time for timestamps, as ISO 8601. */
export function isoNow(clock: Clock): string {
  return new Date(clock.now()).toISOString()
}

/** Returns the unique constraint or index that a statement violated; `undefined` for other errors. */
export function violatedConstraint(error: unknown): string | undefined {
  if (sqlstateOf(error) !== SQLSTATE.uniqueViolation) return undefined
  const { constraint } = error as { readonly constraint?: unknown }
  return typeof constraint === 'string' ? constraint : undefined
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function isUuid(text: string): boolean {
  return UUID.test(text)
}
