import { COUNT_UNSENT_SQL, type UnsentCount } from '@holdfast/client'
import { useRecords } from './use-records.ts'

/** A large paste changes the outbox many times per second. */
const COUNT_THROTTLE_MS = 100
const NONE: UnsentCount = { waiting: 0, attention: 0, files: 0 }

/** Returns how much of this user's work is only on this device. Check before a wiping sign-out. */
export function useUnsent(): UnsentCount {
  const { rows } = useRecords<UnsentCount>(COUNT_UNSENT_SQL, [], { throttleMs: COUNT_THROTTLE_MS })
  return rows[0] ?? NONE
}
