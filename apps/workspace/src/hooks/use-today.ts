import { useSyncExternalStore } from 'react'
import { dayOf } from '../lib/fields/dates.ts'
import { useWorkspaceZone } from '../lib/time-zone.ts'

/** Interval in ms between clock checks. */
const LOOK_MS = 30_000

/** Returns the workspace's current day, `YYYY-MM-DD`. Re-renders at its midnight. */
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
