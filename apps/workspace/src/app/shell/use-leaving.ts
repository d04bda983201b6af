import { DataNotLocked, DataRemains, type UnsentCount } from '@holdfast/client'
import { useLocalDatabase } from '@holdfast/react'
import { useEffect, useReducer, useState } from 'react'
import { rememberWaiting } from '../../lib/data/accounts.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { setPaused } from '../../lib/data/pause.ts'
import { ASKING, type LeavingState, nextLeaving } from './leaving-state.ts'

/** Timeout of "send now". */
const SEND_TIMEOUT_MS = 20_000

export interface Leaving extends LeavingState {
  /** Signs out, and keeps or deletes the user's data on this device. */
  leave(data: 'keep' | 'wipe'): Promise<void>
  /** Sends pending changes, then signs out. */
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
  const [state, dispatch] = useReducer(nextLeaving, ASKING)

  const leave = async (data: 'keep' | 'wipe'): Promise<void> => {
    dispatch({ kind: 'leave' })
    try {
      if (data === 'keep') rememberWaiting(local.userId, waiting + attention + files)
      await client.signOut(data, { discardUnsent: true }) // the user has chosen
    } catch (cause) {
      // The user is signed out; the sign-in screen lists the data that remains or is not locked.
      if (cause instanceof DataRemains || cause instanceof DataNotLocked) return
      dispatch({ kind: 'failed', cause })
    }
  }
  useEmptyOutbox({
    isSending: state.step === 'sending',
    waiting: waiting + files,
    onSent: () => {
      const emptied = { kind: 'emptied', attention } as const
      dispatch(emptied)
      if (nextLeaving(state, emptied).step === 'leaving') void leave(isShared ? 'wipe' : 'keep')
    },
    onGivenUp: () => dispatch({ kind: 'timed_out' }),
  })
  return {
    ...state,
    leave,
    sendThenLeave() {
      setPaused(local, false)
      void local.attachments?.setPaused(false)
      dispatch({ kind: 'send_first' })
    },
  }
}

/** Returns whether this device can encrypt what a user keeps; `undefined` until known. */
export function useCanLock(): boolean | undefined {
  const { client } = useBackend()
  const [canLock, setCanLock] = useState<boolean>()
  // Asks the server at most once, for the key.
  useEffect(() => {
    let isShown = true
    client.canLock().then(
      (can) => (isShown ? setCanLock(can) : undefined),
      () => (isShown ? setCanLock(false) : undefined),
    )
    return () => void (isShown = false)
  }, [client])
  return canLock
}

/** Waits for the outbox to empty, up to {@link SEND_TIMEOUT_MS}. */
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
  // Sync empties the outbox; this reacts when it is empty.
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
