import { useState } from 'react'
import { type CallFailure, describeRefusal } from './use-call.ts'

/** A question to the server that the user triggers. */
export interface Ask<Answer> {
  readonly isPending: boolean
  readonly failure: CallFailure | undefined
  readonly answer: Answer | undefined
  ask(question: () => Promise<Answer>): Promise<void>
  forget(): void
}

/**
 * Keeps the latest answer; a new question discards it.
 *
 * @param refusals - texts by the server's codes
 */
export function useAsk<Answer>(refusals: Readonly<Record<string, string>>): Ask<Answer> {
  const [isPending, setPending] = useState(false)
  const [failure, setFailure] = useState<CallFailure>()
  const [answer, setAnswer] = useState<Answer>()
  return {
    isPending,
    failure,
    answer,
    async ask(question) {
      setPending(true)
      setFailure(undefined)
      try {
        setAnswer(await question())
      } catch (error) {
        setAnswer(undefined)
        setFailure(describeRefusal(error, refusals))
      } finally {
        setPending(false)
      }
    },
    forget() {
      setAnswer(undefined)
      setFailure(undefined)
    },
  }
}
