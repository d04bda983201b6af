import type { SyncState } from '@holdfast/client'
import { useLocalDatabase } from './use-device.ts'
import { useValue } from './use-value.ts'

/** Returns the sync state to display. */
export function useSyncStatus(): SyncState {
  return useValue(useLocalDatabase().sync)
}
