import type { DevicePerson, SessionState } from '@holdfast/client'
import { useHoldfast } from './holdfast-provider.tsx'
import { useValue } from './use-value.ts'

/** Returns who is signed in on this device. */
export function useSession(): SessionState {
  return useValue(useHoldfast().session)
}

/** Returns users with a local database on this device, most recently used first. */
export function usePeople(): readonly DevicePerson[] {
  return useValue(useHoldfast().people)
}
