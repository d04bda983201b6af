import { useLocalDatabase } from '@holdfast/react'
import { type JSX, useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { LinkButton } from '../../components/link.tsx'
import { Notice } from '../../components/notice.tsx'
import { forgetAccount, rememberWaiting } from '../../lib/data/accounts.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { setPaused } from '../../lib/data/pause.ts'
import { syncMessages as words } from '../../messages/sync.ts'

/** How long "send now" tries before it says that it could not. */
const SEND_TIMEOUT_MS = 20_000

/**
 * Signs out on this device. With unsent changes the person chooses first: send them now, keep them on this device for
 * the next sign-in, or discard them.
 */
export function SignOutDialog({
  onClose,
  waiting,
  attention,
}: {
  readonly onClose: () => void
  readonly waiting: number
  readonly attention: number
}): JSX.Element {
  const { client } = useBackend()
  const local = useLocalDatabase()
  const [isShared, setShared] = useState(false)
  const [step, setStep] = useState<'asking' | 'sending' | 'not-sent' | 'leaving'>('asking')
  const [error, setError] = useState<Error>()
  const isGuest = useIsGuest()
  const hasUnsent = waiting > 0 || attention > 0

  const leave = async (data: 'keep' | 'wipe'): Promise<void> => {
    setStep('leaving')
    try {
      if (data === 'keep') rememberWaiting(local.userId, waiting + attention)
      await client.signOut(data, { discardUnsent: true }) // the person chose above
      if (data === 'wipe') forgetAccount(local.userId)
    } catch (cause) {
      setStep('asking')
      setError(cause instanceof Error ? cause : new Error(String(cause)))
    }
  }

  useSendThenLeave({
    isSending: step === 'sending',
    waiting,
    // A change that was refused on the way out is a new question.
    onSent: () => (attention > 0 ? setStep('asking') : void leave(isShared ? 'wipe' : 'keep')),
    onGivenUp: () => setStep('not-sent'),
  })

  const isBusy = step === 'sending' || step === 'leaving'
  return (
    <Dialog
      title={words.signOutTitle}
      isOpen
      onClose={onClose}
      role="alertdialog"
      actionsLayout={hasUnsent ? 'stack' : 'row'}
      actions={
        hasUnsent ? (
          <>
            <Button tone="danger" isDisabled={isBusy} onPress={() => void leave('wipe')}>
              {words.signOutDiscard}
            </Button>
            <Button isDisabled={isBusy} onPress={() => void leave('keep')}>
              {words.signOutKeep}
            </Button>
            {waiting > 0 ? (
              <Button
                tone="primary"
                isPending={step === 'sending'}
                isDisabled={step === 'leaving'}
                onPress={() => {
                  setPaused(local, false)
                  setStep('sending')
                }}
              >
                {step === 'sending' ? words.signOutSending(waiting) : words.signOutSendNow}
              </Button>
            ) : null}
          </>
        ) : (
          <>
            <Button onPress={onClose}>{words.cancel}</Button>
            <Button
              tone="primary"
              autoFocus
              isPending={step === 'leaving'}
              onPress={() => void leave(isShared ? 'wipe' : 'keep')}
            >
              {words.signOutSimple}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-3">
        {isGuest ? (
          <Notice
            tone="warning"
            title={words.signOutGuest}
            actions={
              <LinkButton size="sm" to="/account" onClick={onClose}>
                {words.signOutGuestKeep}
              </LinkButton>
            }
          >
            {words.signOutGuestDetail}
          </Notice>
        ) : null}
        {waiting > 0 ? <p>{words.signOutUnsent(waiting)}</p> : null}
        {attention > 0 ? <p>{words.signOutAttention(attention)}</p> : null}
        {hasUnsent ? <p className="text-muted">{words.signOutKeepDetail}</p> : <p>{words.signOutClean}</p>}
        {step === 'not-sent' ? (
          <p role="status" className="text-warning">
            {words.signOutNotSent}
          </p>
        ) : null}
        {attention === 0 ? (
          <Checkbox isSelected={isShared} onChange={setShared} isDisabled={isBusy}>
            {words.signOutShared}
          </Checkbox>
        ) : null}
        {error ? <ErrorNotice error={error} /> : null}
      </div>
    </Dialog>
  )
}

/** Nobody can sign in to a guest's account again. */
function useIsGuest(): boolean {
  const { client } = useBackend()
  const [isGuest, setGuest] = useState(false)
  // The auth client has no hook of its own.
  useEffect(() => {
    let isOver = false
    void client.supabase.auth.getSession().then(({ data }) => {
      if (!isOver) setGuest(data.session?.user.is_anonymous === true)
    })
    return () => {
      isOver = true
    }
  }, [client])
  return isGuest
}

/** Waits while the outbox empties; gives up after {@link SEND_TIMEOUT_MS}. */
function useSendThenLeave({
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
