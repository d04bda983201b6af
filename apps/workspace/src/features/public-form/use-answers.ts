import { useCallback, useEffect, useRef, useState } from 'react'
import { useOnline } from '../../hooks/use-online.ts'
import { solvePuzzle } from './solve-puzzle.ts'
import {
  type Answer,
  fetchPuzzle,
  type Proof,
  type PublicForm,
  readAnswers,
  sendAnswer,
  writeAnswers,
} from './visitor-answers.ts'

/** Time in ms after which unsent answers are tried again. */
const RETRY_MS = 30_000

export interface Answers {
  /** Not sent yet. */
  readonly waiting: readonly Answer[]
  readonly refused: readonly Answer[]
  readonly isSending: boolean
  /** Increases with each captcha that was used; the next one needs a new widget. */
  readonly checks: number
  /** Stores an answer and sends it. @returns whether the server has it or the device stores it; otherwise it was forgotten */
  add(answer: Answer): Promise<boolean>
  remove(id: string): void
  /** Sends the oldest answer with the response of the provider's widget. */
  pass(response: string): void
}

/**
 * The answers of one form that this device has not sent. They are sent whenever the page is open and online, with a provider's captcha after the visitor has
 * passed it.
 *
 * @param onUnchecked - called when the server wants another captcha than the form that this device knows
 */
export function useAnswers(slug: string, captcha: PublicForm['captcha'], onUnchecked: () => void): Answers {
  const isOnline = useOnline()
  const [answers, setAnswers] = useState(() => readAnswers(slug))
  const [isSending, setSending] = useState(false)
  const [checks, setChecks] = useState(0)
  const sending = useRef<Promise<void>>(undefined)
  const response = useRef<string>(undefined)
  const store = useCallback(
    (change: Change): boolean => {
      // Another tab may have changed them.
      const next = change(readAnswers(slug))
      const isStored = writeAnswers(slug, next)
      setAnswers(next)
      return isStored
    },
    [slug],
  )
  const send = useCallback((): Promise<void> => {
    if (sending.current) return sending.current
    const prove = async ({ id }: Answer): Promise<Proof | undefined> => {
      if (captcha === 'work') {
        const puzzle = await fetchPuzzle(slug, id)
        return puzzle && solvePuzzle(puzzle)
      }
      const given = response.current
      response.current = undefined
      return given
    }
    setSending(true)
    const underWay = sendAll(slug, store, captcha === null ? undefined : prove)
      .then((isUnchecked) => {
        if (isUnchecked) onUnchecked()
      })
      .finally(() => {
        sending.current = undefined
        setSending(false)
      })
    sending.current = underWay
    return underWay
  }, [slug, store, captcha, onUnchecked])
  // The network and the clock are outside React.
  useEffect(() => {
    if (!isOnline) return
    void send()
    const timer = setInterval(() => void send(), RETRY_MS)
    return () => clearInterval(timer)
  }, [isOnline, send])
  return {
    waiting: answers.filter(({ refusal }) => refusal === undefined),
    refused: answers.filter(({ refusal }) => refusal !== undefined),
    isSending,
    checks,
    async add(answer) {
      const isStored = store((before) => [...before.filter(({ id }) => id !== answer.id), answer])
      await sending.current
      await send()
      if (isStored || readAnswers(slug).every(({ id }) => id !== answer.id)) return true
      store((before) => before.filter(({ id }) => id !== answer.id))
      return false
    },
    remove: (removed) => void store((before) => before.filter(({ id }) => id !== removed)),
    pass(given) {
      response.current = given
      void send().then(() => setChecks((before) => before + 1))
    },
  }
}

type Change = (before: readonly Answer[]) => readonly Answer[]

/**
 * Sends the oldest first, until the server cannot take more now or the next one lacks its captcha.
 *
 * @param prove - passes the captcha for an answer; absent if none is asked for
 * @returns whether the server asked for another captcha
 */
async function sendAll(
  slug: string,
  store: (change: Change) => boolean,
  prove: ((answer: Answer) => Promise<Proof | undefined>) | undefined,
): Promise<boolean> {
  for (const answer of readAnswers(slug)) {
    if (answer.refusal !== undefined) continue
    const proof = await prove?.(answer)
    if (prove && proof === undefined) return false
    const { kind, reason } = await sendAnswer(slug, answer, proof)
    if (kind === 'later' || kind === 'unchecked') return kind === 'unchecked'
    store((before) =>
      before.flatMap((one) =>
        one.id !== answer.id ? [one] : kind === 'sent' ? [] : [{ ...one, refusal: reason ?? '' }],
      ),
    )
  }
  return false
}
