import { writeLocally } from '@holdfast/client'
import type { Transaction } from '@powersync/common'
import { useCallback } from 'react'
import { useLocalDatabase } from './use-device.ts'

/**
 * Runs `body` as one local transaction. It is shown at once and reaches the server as one transaction, or not at all.
 *
 * @throws {DeviceFull} (`@holdfast/client`) when the device has no room; nothing was written
 */
export type Write = <T>(body: (tx: Transaction) => Promise<T>) => Promise<T>

/** How screens change data. Waiting for the server is not their business. */
export function useWrite(): Write {
  const { database } = useLocalDatabase()
  return useCallback((body) => writeLocally(database, body), [database])
}
