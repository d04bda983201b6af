import { COUNT_UNSENT_SQL, type UnsentCount } from '@holdfast/client'
import { useRecords } from './use-records.ts'

/** A large paste changes the outbox many times a second. */
const COUNT_THROTTLE_MS = 100
const NONE: UnsentCount = { waiting: 0, attention: 0, files: 0 }

/** How much of this person's work is only on this device. Ask before a sign-out that wipes. */
export function useUnsent(): UnsentCount {
  const { rows } = useRecords<UnsentCount>(COUNT_UNSENT_SQL, [], { throttleMs: COUNT_THROTTLE_MS })
  return rows[0] ?? NONE
}
