import { toError } from '@holdfast/protocol'
import { useState } from 'react'

/** Work that begins once the person has confirmed it in a dialog. */
export interface ConfirmedWork {
  readonly isAsked: boolean
  readonly isBusy: boolean
  readonly error: Error | undefined
  ask(): void
  close(): void
  confirm(): void
}

/** The dialog closes when the work is done, and stays with the reason when it failed. */
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
      // Why it failed the last time is no reason now.
      setError(undefined)
      setAsked(true)
    },
    close: () => setAsked(false),
    confirm: () => void run(),
  }
}
