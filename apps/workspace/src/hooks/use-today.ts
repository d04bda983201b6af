import { useSyncExternalStore } from 'react'
import { dayOf } from '../lib/fields/dates.ts'

/** How often the clock is looked at, in milliseconds. */
const LOOK_MS = 30_000

/** The day it is on this device, `YYYY-MM-DD`; renders again at midnight. */
export function useToday(): string {
  return useSyncExternalStore(subscribe, today)
}

function subscribe(onChange: () => void): () => void {
  const timer = setInterval(onChange, LOOK_MS)
  return () => clearInterval(timer)
}

function today(): string {
  return dayOf(new Date())
}
