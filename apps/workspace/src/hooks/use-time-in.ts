import { useCallback, useSyncExternalStore } from 'react'
import { pageLocale } from '../lib/language.ts'

/** How often the clock is looked at, in milliseconds. */
const LOOK_MS = 1_000

/** The time that the clocks of a zone show: `14:02`; `undefined` for a zone that this browser does not know. */
export function useTimeIn(timeZone: string): string | undefined {
  return useSyncExternalStore(
    subscribe,
    useCallback(() => timeIn(timeZone), [timeZone]),
  )
}

function subscribe(onChange: () => void): () => void {
  const timer = setInterval(onChange, LOOK_MS)
  return () => clearInterval(timer)
}

function timeIn(timeZone: string): string | undefined {
  try {
    return new Date().toLocaleTimeString(pageLocale(), { hour: 'numeric', minute: '2-digit', timeZone })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
