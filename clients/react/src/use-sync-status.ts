import type { SyncState } from '@holdfast/client'
import { useLocalDatabase } from './use-device.ts'
import { useValue } from './use-value.ts'

/** The one thing to say about sync now. */
export function useSyncStatus(): SyncState {
  return useValue(useLocalDatabase().sync)
}
