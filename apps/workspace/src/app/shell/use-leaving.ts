import type { UnsentCount } from '@holdfast/client'
import { useLocalDatabase } from '@holdfast/react'
import { useEffect, useState } from 'react'
import { forgetAccount, rememberWaiting } from '../../lib/data/accounts.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { setPaused } from '../../lib/data/pause.ts'

/** How long "send now" tries before it says that it could not. */
const SEND_TIMEOUT_MS = 20_000

/** The way out of this device. `not-sent`: the outbox did not empty in time. */
export type LeavingStep = 'asking' | 'sending' | 'not-sent' | 'leaving'

export interface Leaving {
  readonly step: LeavingStep
  readonly error: Error | undefined
  /** Signs out, and says what becomes of the person's data here. */
  leave(data: 'keep' | 'wipe'): Promise<void>
  /** Sends what waits, then signs out. */
  sendThenLeave(): void
}

/** @param isShared - nothing stays on this device once everything is sent */
export function useLeaving({
  waiting,
  attention,
  files,
  isShared,
}: UnsentCount & { readonly isShared: boolean }): Leaving {
  const { client } = useBackend()
  const local = useLocalDatabase()
  const [step, setStep] = useState<LeavingStep>('asking')
  const [error, setError] = useState<Error>()

  const leave = async (data: 'keep' | 'wipe'): Promise<void> => {
    setStep('leaving')
    try {
      if (data === 'keep') rememberWaiting(local.userId, waiting + attention + files)
      await client.signOut(data, { discardUnsent: true }) // the person has chosen
      if (data === 'wipe') forgetAccount(local.userId)
    } catch (cause) {
      setStep('asking')
      setError(cause instanceof Error ? cause : new Error(String(cause)))
    }
  }
  useEmptyOutbox({
    isSending: step === 'sending',
    waiting: waiting + files,
    // A change that was refused on the way out is a new question.
    onSent: () => (attention > 0 ? setStep('asking') : void leave(isShared ? 'wipe' : 'keep')),
    onGivenUp: () => setStep('not-sent'),
  })
  return {
    step,
    error,
    leave,
    sendThenLeave() {
      setPaused(local, false)
      void local.attachments?.setPaused(false)
      setStep('sending')
    },
  }
}

/** Waits while the outbox empties; gives up after {@link SEND_TIMEOUT_MS}. */
function useEmptyOutbox({
  isSending,
  waiting,
  onSent,
  onGivenUp,
}: {
  readonly isSending: boolean
  readonly waiting: number
  readonly onSent: () => void
  readonly onGivenUp: () => void
}): void {
  const isSent = isSending && waiting === 0
  // The outbox empties by itself; its being empty is the event.
  useEffect(() => {
    if (isSent) onSent()
    // oxlint-disable-next-line react/exhaustive-deps -- once per sending, not once per render
  }, [isSent])
  useEffect(() => {
    if (!isSending) return
    const timer = setTimeout(onGivenUp, SEND_TIMEOUT_MS)
    return () => clearTimeout(timer)
    // oxlint-disable-next-line react/exhaustive-deps -- the clock starts with the sending
  }, [isSending])
}
