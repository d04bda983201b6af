import type { Clock } from '@holdfast/foundation'
import type { Pool } from '@holdfast/postgres'

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
