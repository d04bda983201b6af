import { useCallback, useEffect, useRef, useState } from 'react'
import { useOnline } from '../../hooks/use-online.ts'
import { type Answer, readAnswers, sendAnswer, writeAnswers } from './visitor-answers.ts'

/** Time in ms after which unsent answers are tried again. */
const RETRY_MS = 30_000

export interface Answers {
  /** Not sent yet. */
  readonly waiting: readonly Answer[]
  readonly refused: readonly Answer[]
  /** Stores an answer and sends it. @returns whether the server has it or the device stores it; otherwise it was forgotten */
  add(answer: Answer): Promise<boolean>
  remove(id: string): void
}

/** The answers of one form that this device has not sent. They are sent whenever the page is open and online. */
export function useAnswers(slug: string): Answers {
  const isOnline = useOnline()
  const [answers, setAnswers] = useState(() => readAnswers(slug))
  const sending = useRef<Promise<void>>(undefined)
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
    const underWay = sending.current ?? sendAll(slug, store).finally(() => void (sending.current = undefined))
    sending.current = underWay
    return underWay
  }, [slug, store])
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
    async add(answer) {
      const isStored = store((before) => [...before.filter(({ id }) => id !== answer.id), answer])
      await sending.current
      await send()
      if (isStored || readAnswers(slug).every(({ id }) => id !== answer.id)) return true
      store((before) => before.filter(({ id }) => id !== answer.id))
      return false
    },
    remove: (removed) => void store((before) => before.filter(({ id }) => id !== removed)),
  }
}

type Change = (before: readonly Answer[]) => readonly Answer[]

/** Sends the oldest first, until the server cannot take more now. */
async function sendAll(slug: string, store: (change: Change) => boolean): Promise<void> {
  for (const answer of readAnswers(slug)) {
    if (answer.refusal !== undefined) continue
    const { kind, reason } = await sendAnswer(slug, answer)
    if (kind === 'later') return
    store((before) =>
      before.flatMap((one) =>
        one.id !== answer.id ? [one] : kind === 'sent' ? [] : [{ ...one, refusal: reason ?? '' }],
      ),
    )
  }
}
