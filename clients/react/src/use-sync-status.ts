import { COUNT_UNSENT_SQL, type SyncState, type UnsentCount } from '@holdfast/client'
import { useLocalDatabase } from './use-device.ts'
import { useRecords } from './use-records.ts'
import { useValue } from './use-value.ts'

/** A large paste changes the outbox many times per second. */
const COUNT_THROTTLE_MS = 100
const NONE: UnsentCount = { waiting: 0, attention: 0, files: 0 }

/** Returns the sync state to display. */
export function useSyncStatus(): SyncState {
  return useValue(useLocalDatabase().sync)
}

/** Returns how much of this user's work is only on this device. Check before a wiping sign-out. */
export function useUnsent(): UnsentCount {
  const { rows } = useRecords<UnsentCount>(COUNT_UNSENT_SQL, [], { throttleMs: COUNT_THROTTLE_MS })
  return rows[0] ?? NONE
}
