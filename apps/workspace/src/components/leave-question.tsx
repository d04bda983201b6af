import { useBlocker, useRouter } from '@tanstack/react-router'
import type { JSX } from 'react'
import { leaveMessages as words } from '../messages/leave.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

/** Asks whether unsaved input is discarded. */
export function DiscardDialog({
  isOpen,
  onStay,
  onDiscard,
}: {
  readonly isOpen: boolean
  readonly onStay: () => void
  readonly onDiscard: () => void
}): JSX.Element {
  return (
    <Dialog
      title={words.title}
      isOpen={isOpen}
      onClose={onStay}
      role="alertdialog"
      actions={
        <>
          <Button autoFocus onPress={onStay}>
            {words.stay}
          </Button>
          <Button tone="danger" onPress={onDiscard}>
            {words.discard}
          </Button>
        </>
      }
    >
      <p>{words.detail}</p>
    </Dialog>
  )
}

/**
 * Asks before a screen with unsaved input is left, by a link, the back button or closing the page. Navigation that follows from saving passes
 * `ignoreBlocker`.
 */
export function LeaveQuestion({ isChanged }: { readonly isChanged: boolean }): JSX.Element | null {
  // Screens rendered alone, in tests, cannot be left.
  const router: object | null | undefined = useRouter({ warn: false })
  return isChanged && router ? <Blocked /> : null
}

function Blocked(): JSX.Element {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname,
    enableBeforeUnload: true,
    withResolver: true,
  })
  return (
    <DiscardDialog
      isOpen={blocker.status === 'blocked'}
      onStay={() => blocker.reset?.()}
      onDiscard={() => blocker.proceed?.()}
    />
  )
}
