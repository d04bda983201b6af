import { useSyncExternalStore } from 'react'
import { isOnDevice, onDeviceChange } from '../lib/is-on-device.ts'

/** Returns whether the app's files are cached on this device, also once that changes. */
export function useOnDevice(): boolean {
  return useSyncExternalStore(onDeviceChange, isOnDevice)
}
