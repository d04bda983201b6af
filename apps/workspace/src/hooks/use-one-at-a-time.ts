import { useRef } from 'react'

/**
 * Runs one piece of work at a time: who asks meanwhile gets what is under way. A press that comes again before a slow device has stored the first must not make a
 * second record.
 */
export function useOneAtATime<Result>(): (work: () => Promise<Result>) => Promise<Result> {
  const underWay = useRef<Promise<Result>>(undefined)
  return (work) => {
    underWay.current ??= work().finally(() => (underWay.current = undefined))
    return underWay.current
  }
}
