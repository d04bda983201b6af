import type { DevicePerson } from '@holdfast/client'
import { useHoldfast } from './holdfast-context.ts'
import { useValue } from './use-value.ts'

/** Returns users with a local database on this device, most recently used first. */
export function usePeople(): readonly DevicePerson[] {
  return useValue(useHoldfast().people)
}
