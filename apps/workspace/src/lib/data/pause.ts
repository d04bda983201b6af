import type { LocalDatabase } from '@holdfast/client'
import { create } from 'zustand'

/** The person has paused sync on this page; the next load starts it again. */
export const usePause = create<{ readonly isPaused: boolean }>(() => ({ isPaused: false }))

/** Stops or resumes sync. Reading and editing go on in both cases. */
export function setPaused(local: LocalDatabase, isPaused: boolean): void {
  usePause.setState({ isPaused })
  if (isPaused) void local.disconnect()
  else local.connect()
}
