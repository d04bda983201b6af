import { useEffect, useState } from 'react'

const LOOK_EVERY_MS = 500

export interface Recent<Value> {
  readonly value: Value
  readonly at: number
  /** No newer message has arrived for a while. */
  readonly isFading: boolean
}

/**
 * Returns the latest message of each user for a limited time, because users leave without notice.
 *
 * @param keptMs - lifetime of a message
 * @param fadesMs - time until it fades
 */
export function useRecent<Value>(
  keptMs: number,
  fadesMs = keptMs,
): readonly [recent: ReadonlyMap<string, Recent<Value>>, put: (user: string, value: Value | undefined) => void] {
  const [recent, setRecent] = useState<ReadonlyMap<string, Recent<Value>>>(new Map())
  const isEmpty = recent.size === 0
  // The clock is external to React, and runs only while needed.
  useEffect(() => {
    if (isEmpty) return
    const timer = setInterval(() => {
      const now = Date.now()
      setRecent((before) => new Map(keep(before, now - keptMs, now - fadesMs)))
    }, LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [isEmpty, keptMs, fadesMs])
  const put = (user: string, value: Value | undefined): void =>
    setRecent((before) => {
      const after = new Map(before)
      if (value === undefined) after.delete(user)
      else after.set(user, { value, at: Date.now(), isFading: false })
      return after
    })
  return [recent, put]
}

function* keep<Value>(
  recent: ReadonlyMap<string, Recent<Value>>,
  oldest: number,
  fading: number,
): Generator<readonly [string, Recent<Value>]> {
  for (const [user, entry] of recent) if (entry.at > oldest) yield [user, { ...entry, isFading: entry.at <= fading }]
}
