import { toError } from '@holdfast/protocol'
import { useState } from 'react'

/** Work that starts after the user confirms it in a dialog. */
export interface ConfirmedWork {
  readonly isAsked: boolean
  readonly isBusy: boolean
  readonly error: Error | undefined
  ask(): void
  close(): void
  confirm(): void
}

/** Closes the dialog when the work is done; on failure it stays open with the reason. */
export function useConfirmedWork(work: () => Promise<void>): ConfirmedWork {
  const [isAsked, setAsked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()

  const run = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
      setAsked(false)
    } catch (cause) {
      setError(toError(cause))
    } finally {
      setBusy(false)
    }
  }
  return {
    isAsked,
    isBusy,
    error,
    ask() {
      // Clears the previous failure.
      setError(undefined)
      setAsked(true)
    },
    close: () => setAsked(false),
    confirm: () => void run(),
  }
}
