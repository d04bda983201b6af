import { useState } from 'react'

/**
 * Lets a person change a value of the database once: until it tells of the change, another press is the same wish. The second press of a double click would
 * insert a second row.
 *
 * @param value - as the database has it
 * @returns runs work that resolves with whether the change is stored
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
