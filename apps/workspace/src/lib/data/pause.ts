import type { LocalDatabase } from '@holdfast/client'
import { create } from 'zustand'

/** The database whose sync was paused on this page; reloading or reopening resumes it. */
const usePaused = create<{ readonly local: LocalDatabase | undefined }>(() => ({ local: undefined }))

/** Whether the user has paused sync of this database. */
export function usePause(local: LocalDatabase): boolean {
  return usePaused((state) => state.local === local)
}

/** Pauses or resumes sync. Reading and editing are unaffected. */
export function setPaused(local: LocalDatabase, isPaused: boolean): void {
  usePaused.setState({ local: isPaused ? local : undefined })
  if (isPaused) void local.disconnect()
  else local.connect()
}
