import { useSyncExternalStore } from 'react'
import { dayOf } from '../lib/fields/dates.ts'
import { useWorkspaceZone } from '../lib/time-zone.ts'

/** How often the clock is looked at, in milliseconds. */
const LOOK_MS = 30_000

/** The day it is in the workspace, `YYYY-MM-DD`; renders again at its midnight. */
export function useToday(): string {
  return useSyncExternalStore(subscribe, today)
}

function subscribe(onChange: () => void): () => void {
  const timer = setInterval(onChange, LOOK_MS)
  const end = useWorkspaceZone.subscribe(onChange)
  return () => {
    clearInterval(timer)
    end()
  }
}

function today(): string {
  return dayOf(new Date())
}
