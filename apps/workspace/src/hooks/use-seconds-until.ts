import { useEffect, useState } from 'react'

/** Returns the whole seconds until `deadlineMs` (milliseconds since 1970), counting down; 0 without a deadline. */
export function useSecondsUntil(deadlineMs: number | undefined): number {
  const [nowMs, setNowMs] = useState(() => Date.now())
  // A clock is a subscription.
  useEffect(() => {
    if (deadlineMs === undefined) return
    const tick = (): void => {
      setNowMs(Date.now())
      if (Date.now() >= deadlineMs) clearInterval(timer)
    }
    const timer = setInterval(tick, 500)
    tick()
    return () => clearInterval(timer)
  }, [deadlineMs])
  return deadlineMs === undefined ? 0 : Math.max(0, Math.ceil((deadlineMs - nowMs) / 1000))
}
