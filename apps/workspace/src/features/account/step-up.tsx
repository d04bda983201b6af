import type { Factor } from '@supabase/supabase-js'
import { createContext, type JSX, type ReactNode, useCallback, useContext, useState } from 'react'
import { codeOf } from './account-failure.ts'
import { StepUpDialog } from './step-up-dialog.tsx'
import { useAccount } from './account-context.tsx'
import { unwrap } from './unwrap.ts'

/** The user cancelled the second factor; the change was not made. */
export class StepUpCancelled extends Error {
  override readonly name = 'StepUpCancelled'
}

type Confirmed = (work: () => Promise<void>) => Promise<void>

const StepUpContext = createContext<Confirmed | undefined>(undefined)

interface Question {
  readonly factors: readonly Factor[]
  readonly resolve: () => void
  readonly reject: (reason: StepUpCancelled) => void
}

/** Asks for the second factor when a change below requires it (`insufficient_aal`). */
export function StepUpProvider({ children }: { readonly children: ReactNode }): JSX.Element {
  const { supabase } = useAccount()
  const [question, setQuestion] = useState<Question>()

  const confirmed = useCallback<Confirmed>(
    async (work) => {
      try {
        await work()
      } catch (error) {
        if (codeOf(error) !== 'insufficient_aal') throw error
        const { all } = unwrap(await supabase.auth.mfa.listFactors())
        const factors = all.filter(({ status }) => status === 'verified')
        if (factors.length === 0) throw error
        await new Promise<void>((resolve, reject) => setQuestion({ factors, resolve, reject }))
        await work()
      }
    },
    [supabase],
  )

  const close = (): void => {
    question?.reject(new StepUpCancelled())
    setQuestion(undefined)
  }
  return (
    <StepUpContext value={confirmed}>
      {children}
      {question === undefined ? null : (
        <StepUpDialog
          factors={question.factors}
          onClose={close}
          onConfirmed={() => {
            setQuestion(undefined)
            question.resolve()
          }}
        />
      )}
    </StepUpContext>
  )
}

/** Returns a function that runs work and, if the server requires a second factor, asks for it and runs the work again. It throws {@link StepUpCancelled}. */
export function useStepUp(): Confirmed {
  const confirmed = useContext(StepUpContext)
  if (!confirmed) throw new Error('useStepUp is called outside of the account layout')
  return confirmed
}
