import { useRef } from 'react'

/** Runs one task at a time; calls in the meantime get the running task's result. On a slow device, a repeated press must not create a second record. */
export function useOneAtATime<Result>(): (work: () => Promise<Result>) => Promise<Result> {
  const underWay = useRef<Promise<Result>>(undefined)
  return (work) => {
    underWay.current ??= work().finally(() => (underWay.current = undefined))
    return underWay.current
  }
}
