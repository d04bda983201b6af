import { useEffect, useState } from 'react'
import { isOnDevice } from '../../lib/is-on-device.ts'

/** Milliseconds that a first visit has for itself: whoever goes on to a table at once does not wait for what is loaded here. */
const SYNCED_MS = 1_000
const SYNCING_MS = 5_000

/**
 * Whether the rest of the screen may be loaded: at once where the service worker has it on this device, on a first visit a moment later.
 *
 * @param hasSynced - whether the first sync is over: until then the line has more to bring
 */
export function useMayLoad(hasSynced: boolean): boolean {
  const [mayLoad, setMayLoad] = useState(isOnDevice)
  // The clock is outside of React.
  useEffect(() => {
    const timer = setTimeout(() => setMayLoad(true), hasSynced ? SYNCED_MS : SYNCING_MS)
    return () => clearTimeout(timer)
  }, [hasSynced])
  return mayLoad
}
