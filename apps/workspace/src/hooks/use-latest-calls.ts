import { useLayoutEffect, useRef, useState } from 'react'

/** Functions without a return value. */
// oxlint-disable-next-line typescript/no-explicit-any -- any parameters
type Calls = Readonly<Record<string, (...args: any[]) => void>>

/**
 * Returns stable functions that call those of the latest render, so that components receiving them need not re-render. For event handlers only, not for calls
 * during rendering.
 */
export function useLatestCalls<T extends Calls>(calls: T): T {
  const latest = useRef(calls)
  useLayoutEffect(() => {
    latest.current = calls
  })
  const [stable] = useState(
    () =>
      Object.fromEntries(
        Object.keys(calls).map((name) => [name, (...args: unknown[]) => latest.current[name]?.(...args)]),
      ) as unknown as T,
  )
  return stable
}
