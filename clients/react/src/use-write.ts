import { writeLocally } from '@holdfast/client'
import type { Transaction } from '@powersync/common'
import { useCallback } from 'react'
import { useLocalDatabase } from './use-device.ts'

/**
 * Runs `body` in one local transaction. Visible immediately; uploaded as one transaction.
 *
 * @throws {DeviceFull} (`@holdfast/client`) if the device is full; nothing was written
 */
export type Write = <T>(body: (tx: Transaction) => Promise<T>) => Promise<T>

/** Returns the function that changes local data. It does not wait for the server. */
export function useWrite(): Write {
  const { database } = useLocalDatabase()
  return useCallback((body) => writeLocally(database, body), [database])
}
