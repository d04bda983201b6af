import type { SyncStatus } from '@powersync/common'
import { useCallback, useSyncExternalStore } from 'react'
import { useLocalDatabase } from './use-device.ts'

/**
 * Follows one value of PowerSync's status. The status changes with every received line, so select only what is displayed.
 *
 * @param select - returns a primitive; rerenders only when it changes
 */
export function useEngineStatus<T extends string | number | boolean | undefined>(select: (status: SyncStatus) => T): T {
  const { database } = useLocalDatabase()
  const subscribe = useCallback(
    (onChange: () => void) => database.registerListener({ statusChanged: onChange }),
    [database],
  )
  const get = (): T => select(database.currentStatus)
  return useSyncExternalStore(subscribe, get, get)
}

/** Returns when this device was last in sync. */
export function useLastSyncedAt(): Date | undefined {
  const at = useEngineStatus((status) => status.lastSyncedAt?.getTime())
  return at === undefined ? undefined : new Date(at)
}

/** Whether the first sync is complete. */
export function useHasSynced(): boolean {
  return useEngineStatus((status) => status.hasSynced === true)
}
