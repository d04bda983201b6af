import { useLayoutEffect, useRef, useState } from 'react'

/** Functions whose answer nobody waits for. */
// oxlint-disable-next-line typescript/no-explicit-any -- any parameters
type Calls = Readonly<Record<string, (...args: any[]) => void>>

/**
 * The same functions in every render, each of which calls that of the last one: what is given them need not be drawn again because they were made again. They are for
 * events, not for calls while rendering.
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
