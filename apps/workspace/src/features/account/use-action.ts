import { useState } from 'react'
import { type AccountFailure, describeAccountError } from './account-failure.ts'
import { StepUpCancelled, useStepUp } from './step-up.tsx'

/** A user action on an account screen. */
export interface Action {
  readonly isPending: boolean
  readonly failure: AccountFailure | undefined
  readonly clear: () => void
  /**
   * Runs the action. If the server requires the second factor, asks for it and runs the action again.
   *
   * @param answer - called with the thrown error; returns whether the screen handled it
   * @returns whether the action succeeded
   */
  readonly run: (work: () => Promise<void>, answer?: (error: unknown) => boolean | Promise<boolean>) => Promise<boolean>
}

export function useAction(): Action {
  const confirmed = useStepUp()
  const [isPending, setPending] = useState(false)
  const [failure, setFailure] = useState<AccountFailure>()
  return {
    isPending,
    failure,
    clear: () => setFailure(undefined),
    async run(work, answer) {
      setPending(true)
      setFailure(undefined)
      try {
        await confirmed(work)
        return true
      } catch (error) {
        if (error instanceof StepUpCancelled) return false
        try {
          if (!(await answer?.(error))) setFailure(describeAccountError(error))
        } catch (later) {
          setFailure(describeAccountError(later))
        }
        return false
      } finally {
        setPending(false)
      }
    },
  }
}
