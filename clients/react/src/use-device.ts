import type { DeviceState, LocalDatabase } from '@holdfast/client'
import { useHoldfast } from './holdfast-provider.tsx'
import { useValue } from './use-value.ts'

/** Returns whether the signed-in user's local database is open. */
export function useDevice(): DeviceState {
  return useValue(useHoldfast().device)
}

/** Returns the open local database. Use only where {@link useDevice} is `open`. */
export function useLocalDatabase(): LocalDatabase {
  const device = useDevice()
  if (device.kind !== 'open') throw new Error(`the local database is not open (${device.kind})`)
  return device.local
}
