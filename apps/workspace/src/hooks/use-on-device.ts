import { useSyncExternalStore } from 'react'
import { isOnDevice } from '../lib/is-on-device.ts'

/** Returns whether the app's files are cached on this device, also once that changes. */
export function useOnDevice(): boolean {
  return useSyncExternalStore(subscribe, isOnDevice)
}

function subscribe(onChange: () => void): () => void {
  // Absent in private windows and without TLS.
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined
  workers?.addEventListener('controllerchange', onChange)
  return () => workers?.removeEventListener('controllerchange', onChange)
}
