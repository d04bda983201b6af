import type { IncompleteTable } from '@holdfast/client'
import { useLocalDatabase } from './use-device.ts'
import { useValue } from './use-value.ts'

/** Returns the tables with readable rows missing on this device. */
export function useIncompleteTables(): readonly IncompleteTable[] {
  return useValue(useLocalDatabase().incomplete)
}
