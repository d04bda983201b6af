import type { SyncStatus } from '@powersync/common'
import { useCallback, useSyncExternalStore } from 'react'
import { useLocalDatabase } from './use-device.ts'

/**
 * One thing of PowerSync's own status, current. It tells of every line that it receives, so a screen asks only for what
 * it shows.
 *
 * @param select - a primitive of the status; renders again only when that changes
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

/** When this device was last in step with the server. */
export function useLastSyncedAt(): Date | undefined {
  const at = useEngineStatus((status) => status.lastSyncedAt?.getTime())
  return at === undefined ? undefined : new Date(at)
}

/** Whether this device has everything at least once. */
export function useHasSynced(): boolean {
  return useEngineStatus((status) => status.hasSynced === true)
}
