import type { SyncStatus } from '@powersync/common'
import { useCallback, useSyncExternalStore } from 'react'
import { useDevice } from './device-context.tsx'
import { useLocalQuery } from './use-local-query.ts'

/** The sync engine's own status, current. */
export function useEngineStatus(): SyncStatus {
  const { database } = useDevice()
  const subscribe = useCallback(
    (onChange: () => void) => database.registerListener({ statusChanged: onChange }),
    [database],
  )
  return useSyncExternalStore(subscribe, () => database.currentStatus)
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
