import type { DeviceState, LocalDatabase } from '@holdfast/client'
import { useHoldfast } from './holdfast-context.ts'
import { useValue } from './use-value.ts'

/** Whether the local database of the signed-in person is open yet. */
export function useDevice(): DeviceState {
  return useValue(useHoldfast().device)
}

/** The open local database. Only below the place that shows something else until {@link useDevice} says `open`. */
export function useLocalDatabase(): LocalDatabase {
  const device = useDevice()
  if (device.kind !== 'open') throw new Error(`the local database is not open (${device.kind})`)
  return device.local
}
