import { useLocalDatabase, useRecords } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { LinkButton } from '../../components/link.tsx'
import { Notice } from '../../components/notice.tsx'
import { LostWork } from '../../components/records/lost-work.tsx'
import type { UnsentCount } from '@holdfast/client'
import { useAccounts } from '../../lib/data/accounts.ts'
import { UNFINISHED_SQL } from '../../lib/records/drafts.ts'
import { syncFileMessages } from '../../messages/sync-files.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import { type Leaving, useCanLock, useLeaving } from './use-leaving.ts'

/**
 * Signs out on this device. What stays is encrypted. With unsent changes the user first chooses to send them, to keep them, or to delete them after another
 * confirmation. For guests nothing is kept, because no one could open it again, nor where this device cannot encrypt it.
 */
export function SignOutDialog({
  onClose,
  waiting,
  attention,
  files,
}: UnsentCount & { readonly onClose: () => void }): JSX.Element {
  const [isShared, setShared] = useState(false)
  const [isConfirming, setConfirming] = useState(false)
  const isGuest = useIsGuest()
  const canLock = useCanLock()
  const removes = isShared || isGuest || canLock === false
  const unsent = { waiting, attention, files }
  const leaving = useLeaving({ ...unsent, isShared: removes })
  const { step, error } = leaving
  const hasUnsent = waiting > 0 || attention > 0 || files > 0
  if (isConfirming && hasUnsent) {
    return <ConfirmLoss unsent={unsent} leaving={leaving} onBack={() => setConfirming(false)} onClose={onClose} />
  }
  return (
    <Dialog
      title={words.signOutTitle}
      isOpen
      onClose={onClose}
      role="alertdialog"
      actionsLayout={hasUnsent ? 'stack' : 'row'}
      actions={
        hasUnsent ? (
          <UnsentActions
            leaving={leaving}
            waiting={waiting + files}
            removes={removes || canLock === undefined}
            onRemove={() => setConfirming(true)}
          />
        ) : (
          <>
            <Button onPress={onClose}>{words.cancel}</Button>
            <Button
              tone="primary"
              autoFocus
              isPending={step === 'leaving' || canLock === undefined}
              onPress={() => void leaving.leave(removes ? 'wipe' : 'keep')}
            >
              {removes ? words.wipe : words.signOutSimple}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-3">
        {isGuest ? <GuestWarning onClose={onClose} /> : null}
        {waiting > 0 ? <p>{words.signOutUnsent(waiting)}</p> : null}
        {files > 0 ? <p>{syncFileMessages.signOutFiles(files)}</p> : null}
        {attention > 0 ? <p>{words.signOutAttention(attention)}</p> : null}
        {hasUnsent ? (
          <p className="text-muted">{removes ? words.signOutRemoveDetail : words.signOutKeepDetail}</p>
        ) : (
          <p>{removes ? words.signOutCleanRemoved : words.signOutClean}</p>
        )}
        {canLock === false && !isGuest ? <p>{words.signOutCannotLock}</p> : null}
        <Drafts />
        {step === 'not-sent' ? (
          <p role="status" className="text-warning">
            {words.signOutNotSent}
          </p>
        ) : null}
        {isGuest || canLock === false ? null : (
          <Checkbox isSelected={isShared} onChange={setShared} isDisabled={isBusy(leaving)}>
            {words.signOutShared}
          </Checkbox>
        )}
        {error ? <ErrorNotice error={error} /> : null}
      </div>
    </Dialog>
  )
}

function isBusy({ step }: Leaving): boolean {
  return step === 'sending' || step === 'leaving'
}

/** Confirms what will be lost. */
function ConfirmLoss({
  unsent,
  leaving,
  onBack,
  onClose,
}: {
  readonly unsent: UnsentCount
  readonly leaving: Leaving
  readonly onBack: () => void
  readonly onClose: () => void
}): JSX.Element {
  return (
    <Dialog
      title={words.loseTitle}
      isOpen
      onClose={onClose}
      role="alertdialog"
      actions={
        <>
          <Button autoFocus isDisabled={leaving.step === 'leaving'} onPress={onBack}>
            {words.loseBack}
          </Button>
          <Button tone="danger" isPending={leaving.step === 'leaving'} onPress={() => void leaving.leave('wipe')}>
            {words.lose}
          </Button>
        </>
      }
    >
      <LostWork {...unsent} />
      {leaving.error ? <ErrorNotice error={leaving.error} /> : null}
    </Dialog>
  )
}

/** Actions for changes that exist only on this device. */
function UnsentActions({
  leaving,
  waiting,
  removes,
  onRemove,
}: {
  readonly leaving: Leaving
  /** Number of changes and files that can be sent. */
  readonly waiting: number
  /** Nothing stays on this device. */
  readonly removes: boolean
  readonly onRemove: () => void
}): JSX.Element {
  const { step } = leaving
  return (
    <>
      <Button tone="danger" isDisabled={isBusy(leaving)} onPress={onRemove}>
        {words.signOutDiscard}
      </Button>
      {removes ? null : (
        <Button isDisabled={isBusy(leaving)} onPress={() => void leaving.leave('keep')}>
          {words.signOutKeep}
        </Button>
      )}
      {waiting > 0 ? (
        <Button
          tone="primary"
          isPending={step === 'sending'}
          isDisabled={step === 'leaving'}
          onPress={leaving.sendThenLeave}
        >
          {step === 'sending' ? words.signOutSending(waiting) : words.signOutSendNow}
        </Button>
      ) : null}
    </>
  )
}

/** Warns that drafts are deleted with this device's data. */
function Drafts(): JSX.Element | null {
  const { rows } = useRecords<{ readonly drafts: number }>(UNFINISHED_SQL)
  const count = rows[0]?.drafts ?? 0
  return count === 0 ? null : <p>{words.signOutDrafts(count)}</p>
}

/** Warns that a guest cannot return to the account. */
function GuestWarning({ onClose }: { readonly onClose: () => void }): JSX.Element {
  return (
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
  )
}

/** Whether the user is a guest, as stored on this device. With an expired token and no connection, the auth client does not know. */
function useIsGuest(): boolean {
  const { userId } = useLocalDatabase()
  return useAccounts(({ accounts }) => accounts.find((account) => account.userId === userId)?.isGuest === true)
}
