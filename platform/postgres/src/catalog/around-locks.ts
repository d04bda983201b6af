import { SQLSTATE, sqlstateOf } from '../connection/sqlstate.ts'

/** Lock timeout in ms: most locks are released within this time. */
const LOCK_TIMEOUT_MS = 100

/** The same once the locked tables are known. */
const LOCKED_TIMEOUT_MS = 10

/** Attempts that encounter previously unknown locks. */
const READINGS_MAX = 20

/** One attempt to read the catalog. */
export interface CatalogReading {
  /** Value of `lock_timeout` in ms; 0 waits indefinitely. */
  readonly lockTimeoutMs: number
  /** The previous attempt hit a lock, so this one skips locked tables. */
  readonly isAround: boolean
}

/**
 * Reads the catalog; after a lock timeout, reads again without the locked tables.
 *
 * @param read - throws SQLSTATE 55P03 on a lock timeout
 * @param atLast - whether the last attempt waits for locks or fails
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
