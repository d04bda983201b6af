import type { DevicePerson } from '@holdfast/client'
import { useHoldfast } from './holdfast-context.ts'
import { useValue } from './use-value.ts'

/** Everybody whose local database is on this device, who used it last first. */
export function usePeople(): readonly DevicePerson[] {
  return useValue(useHoldfast().people)
}
