import { useMemo, useSyncExternalStore } from 'react'
import type { Field } from '../lib/fields/field.ts'
import { latenessOf } from '../lib/fields/late.ts'

/** Interval in ms between clock checks: due times are to the minute. */
const STEP_MS = 60_000

/** Returns {@link latenessOf} of now. Re-renders every minute if a field is due at a time. */
export function useLateness(fields: readonly Field[], today: string): ReturnType<typeof latenessOf> {
  const hasTimes = fields.find(({ use }) => use === 'due')?.kind === 'datetime'
  const now = useSyncExternalStore(hasTimes ? everyMinute : never, currentMinute)
  return useMemo(() => latenessOf(fields, { today, now }), [fields, today, now])
}

function currentMinute(): number {
  return Math.floor(Date.now() / STEP_MS) * STEP_MS
}

function everyMinute(onChange: () => void): () => void {
  const timer = setInterval(onChange, STEP_MS / 4)
  return () => clearInterval(timer)
}

const never = (): (() => void) => () => undefined
