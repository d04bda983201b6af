import type { LocalDatabase } from '@holdfast/client'
import { create } from 'zustand'

/** The database whose sync the person has paused on this page; the next load, or the next opening, starts it again. */
const usePaused = create<{ readonly local: LocalDatabase | undefined }>(() => ({ local: undefined }))

/** Whether the person has paused sync of this database. */
export function usePause(local: LocalDatabase): boolean {
  return usePaused((state) => state.local === local)
}

/** Stops or resumes sync. Reading and editing go on in both cases. */
export function setPaused(local: LocalDatabase, isPaused: boolean): void {
  usePaused.setState({ local: isPaused ? local : undefined })
  if (isPaused) void local.disconnect()
  else local.connect()
}
