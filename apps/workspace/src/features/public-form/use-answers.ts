import { useCallback, useEffect, useRef, useState } from 'react'
import { useOnline } from '../../hooks/use-online.ts'
import { publicFormMessages as words } from '../../messages/public-form.ts'
import { type UploadProgress, uploadFiles } from './upload-files.ts'
import { solvePuzzle } from './solve-puzzle.ts'
import {
  type Answer,
  fetchPuzzle,
  type Proof,
  type PublicForm,
  type Sending,
  readAnswers,
  sendAnswer,
  writeAnswers,
} from './visitor-answers.ts'
import { forgetFiles } from './waiting-files.ts'

/** Time in ms after which unsent answers are tried again. */
const RETRY_MS = 30_000

export interface Answers {
  /** Not sent yet. */
  readonly waiting: readonly Answer[]
  readonly refused: readonly Answer[]
  readonly isSending: boolean
  /** The server has taken an answer since the page was opened. */
  readonly hasSent: boolean
  /** Of the files that are being sent. */
  readonly progress: UploadProgress | undefined
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
  const [hasSent, setSent] = useState(false)
  const [progress, setProgress] = useState<UploadProgress>()
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
    const underWay = sendAll(slug, {
      store,
      prove: captcha === null ? undefined : prove,
      onProgress: setProgress,
      onSent: () => setSent(true),
    })
      .then((isUnchecked) => {
        if (isUnchecked) onUnchecked()
      })
      .finally(() => {
        sending.current = undefined
        setSending(false)
        setProgress(undefined)
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
    hasSent,
    progress,
    checks,
    async add(answer) {
      const isStored = store((before) => [...before.filter(({ id }) => id !== answer.id), answer])
      await sending.current
      await send()
      if (isStored || readAnswers(slug).every(({ id }) => id !== answer.id)) return true
      store((before) => before.filter(({ id }) => id !== answer.id))
      return false
    },
    remove(removed) {
      const [answer] = readAnswers(slug).filter(({ id }) => id === removed)
      store((before) => before.filter(({ id }) => id !== removed))
      void forgetFiles(idsOf(answer))
    },
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
  {
    store,
    prove,
    onProgress,
    onSent,
  }: {
    readonly store: (change: Change) => boolean
    readonly prove: ((answer: Answer) => Promise<Proof | undefined>) | undefined
    readonly onProgress: (progress: UploadProgress) => void
    readonly onSent: () => void
  },
): Promise<boolean> {
  const change = (id: string, to: (answer: Answer) => readonly Answer[]): void =>
    void store((before) => before.flatMap((one) => (one.id === id ? to(one) : [one])))
  for (const answer of readAnswers(slug)) {
    const { id, isChecked = false, refusal } = answer
    if (refusal !== undefined) continue
    const proof = isChecked ? undefined : await prove?.(answer)
    if (prove && !isChecked && proof === undefined) return false
    const onChecked = (): void => change(id, (one) => [{ ...one, isChecked: true }])
    const { kind, reason } = await sendOne(slug, answer, { proof, onProgress, onChecked })
    if (kind === 'unchecked') change(id, (one) => [{ ...one, isChecked: false }])
    if (kind === 'later' || kind === 'unchecked') return kind === 'unchecked'
    change(id, (one) =>
      kind === 'sent' ? [] : [{ ...one, refusal: kind === 'lost' ? words.fileLost(reason ?? '') : (reason ?? '') }],
    )
    if (kind !== 'sent') continue
    onSent()
    await forgetFiles(idsOf(answer))
  }
  return false
}

async function sendOne(
  slug: string,
  answer: Answer,
  {
    proof,
    onProgress,
    onChecked,
  }: {
    readonly proof: Proof | undefined
    readonly onProgress: (progress: UploadProgress) => void
    readonly onChecked: () => void
  },
): Promise<Sending> {
  if (idsOf(answer).length === 0) return sendAnswer(slug, answer, proof)
  let isChecked = false
  const uploaded = await uploadFiles(slug, answer, proof, (progress) => {
    if (!isChecked) onChecked()
    isChecked = true
    onProgress(progress)
  })
  return uploaded.kind === 'sent' ? sendAnswer(slug, answer, undefined) : uploaded
}

function idsOf(answer: Answer | undefined): readonly string[] {
  return (answer?.files ?? []).map(({ id }) => id)
}
