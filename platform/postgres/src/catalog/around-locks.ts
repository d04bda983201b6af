import { SQLSTATE, sqlstateOf } from '../connection/sqlstate.ts'

/** How long a reading waits for something that is locked, in milliseconds: most locks are over by then. */
const LOCK_TIMEOUT_MS = 100

/** The same once the locked tables are known. */
const LOCKED_TIMEOUT_MS = 10

/** Readings that meet a lock which the one before did not know of. */
const READINGS_MAX = 20

/** One attempt to read the catalog. */
export interface CatalogReading {
  /** For `lock_timeout`, in milliseconds; 0 waits for as long as it takes. */
  readonly lockTimeoutMs: number
  /** The one before met a lock: this one leaves out locked tables. */
  readonly isAround: boolean
}

/**
 * Reads the catalog, and again without locked tables when Postgres gave up waiting for a lock.
 *
 * @param read - throws SQLSTATE 55P03 when it meets a lock
 * @param atLast - whether the last reading waits for locks or fails
 */
export async function readAroundLocks<T>(
  read: (reading: CatalogReading) => Promise<T>,
  atLast: 'wait' | 'fail',
): Promise<T> {
  for (let count = 1; ; count++) {
    const isLast = count === READINGS_MAX
    const lockTimeoutMs = isLast && atLast === 'wait' ? 0 : count === 1 ? LOCK_TIMEOUT_MS : LOCKED_TIMEOUT_MS
    try {
      return await read({ lockTimeoutMs, isAround: count > 1 })
    } catch (error) {
      if (isLast || sqlstateOf(error) !== SQLSTATE.lockNotAvailable) throw error
    }
  }
}
