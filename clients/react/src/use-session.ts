import type { SessionState } from '@holdfast/client'
import { useHoldfast } from './holdfast-context.ts'
import { useValue } from './use-value.ts'

/** Returns who is signed in on this device. */
export function useSession(): SessionState {
  return useValue(useHoldfast().session)
}
