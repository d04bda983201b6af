import type { SyncStatus } from '@powersync/common'
import { useCallback, useSyncExternalStore } from 'react'
import { useDevice } from './device-context.tsx'
import { useLocalQuery } from './use-local-query.ts'

/** The sync engine's own status, whole; renders again with every line that it receives. */
export function useSyncStatus(): SyncStatus {
  const { database } = useDevice()
  const subscribe = useCallback(
    (onChange: () => void) => database.registerListener({ statusChanged: onChange }),
    [database],
  )
  return useSyncExternalStore(subscribe, () => database.currentStatus)
}

/**
 * One thing of the sync engine's own status, current. The engine tells of every line that it receives, so a screen asks
 * only for what it shows.
 *
 * @param select - a primitive of the status; renders again only when that changes
 */
export function useEngineStatus<T extends string | number | boolean | undefined>(select: (status: SyncStatus) => T): T {
  const { database } = useDevice()
  const subscribe = useCallback(
    (onChange: () => void) => database.registerListener({ statusChanged: onChange }),
    [database],
  )
  return useSyncExternalStore(subscribe, () => select(database.currentStatus))
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

/** Operations in the outbox, and rejected changes that wait for a decision. */
export function useUndecided(): { readonly waiting: number; readonly attention: number } {
  const { rows } = useLocalQuery<{ readonly waiting: number; readonly attention: number }>(
    `select (select count(*) from ps_crud) as waiting,
            (select count(*) from hf_local_attention where state = 'open') as attention`,
    [],
    100,
  )
  return rows[0] ?? { waiting: 0, attention: 0 }
}
