import { chipLooks, type ChipLooks } from '../sync-chip.ts'
import { useDevice } from './device-context.tsx'
import { usePause } from './pause.ts'
import { useEngineStatus, useUndecided } from './use-sync-status.ts'

/** How sync stands, in the chip's shape and words: every screen that tells of it says the same. */
export function useSyncLooks(): ChipLooks {
  const { local, syncState } = useDevice()
  const isPaused = usePause(local)
  const isConnected = useEngineStatus((status) => status.connected)
  const { waiting } = useUndecided()
  return chipLooks(syncState, { waiting, isPaused, isConnected })
}
