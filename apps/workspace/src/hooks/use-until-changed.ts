import { useState } from 'react'

/**
 * Lets the user change a database value once, and ignores further presses until the database reports the change. Otherwise a double click would insert two
 * rows.
 *
 * @param value - the database's value
 * @returns a function that runs work; the work resolves with whether the change is stored
 */
export function useUntilChanged(value: string | null | undefined): (work: () => Promise<boolean>) => void {
  const [from, setFrom] = useState<{ readonly value: string | null | undefined }>()
  if (from && from.value !== value) setFrom(undefined)
  return (work) => {
    if (from) return
    setFrom({ value })
    const end = (): void => setFrom(undefined)
    work().then(
      (isStored) => isStored || end(),
      (error: unknown) => {
        end()
        throw error
      },
    )
  }
}
