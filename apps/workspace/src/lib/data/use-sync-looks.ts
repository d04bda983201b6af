import { useEngineStatus, useLocalDatabase, useSyncStatus, useUnsent } from '@holdfast/react'
import { chipLooks, type ChipLooks } from '../sync-chip.ts'
import { usePause } from './pause.ts'

/** How sync stands, in the chip's shape and words: every screen that tells of it says the same. */
export function useSyncLooks(): ChipLooks {
  const local = useLocalDatabase()
  const syncState = useSyncStatus()
  const isPaused = usePause(local)
  const isConnected = useEngineStatus((status) => status.connected)
  const { waiting } = useUnsent()
  return chipLooks(syncState, { waiting, isPaused, isConnected })
}
