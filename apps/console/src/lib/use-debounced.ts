import { useEffect, useState } from 'react'

const DELAY_MS = 250

/** Returns a value once it has not changed for a moment, so that a list is not fetched per keystroke. */
export function useDebounced<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), DELAY_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
