import type { IncompleteTable } from '@holdfast/client'
import { useLocalDatabase } from './use-device.ts'
import { useValue } from './use-value.ts'

/** Tables of which rows that the person may read are not on this device. */
export function useIncompleteTables(): readonly IncompleteTable[] {
  return useValue(useLocalDatabase().incomplete)
}
