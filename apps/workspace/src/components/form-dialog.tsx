import { type JSX, type ReactNode, useId, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { DiscardDialog, LeaveQuestion } from './leave-question.tsx'
import { useOneAtATime } from '../hooks/use-one-at-a-time.ts'
import { commonMessages as words } from '../messages/common.ts'

/**
 * A dialog with one form: Enter and the main button submit it once. Once the user has typed, closing it other than with the cancel button asks first, and so does
 * leaving the screen.
 */
export function FormDialog({
  title,
  submitLabel,
  isPending,
  onSubmit,
  onClose,
  closeLabel = words.cancel,
  size = 'sm',
  isDisabled = false,
  children,
}: {
  readonly title: string
  readonly submitLabel: string
  readonly isPending: boolean
  readonly onSubmit: () => void | Promise<void>
  readonly onClose: () => void
  readonly closeLabel?: string
  readonly size?: 'sm' | 'md'
  /** The form cannot be submitted; the content says why. */
  readonly isDisabled?: boolean
  readonly children: ReactNode
}): JSX.Element {
  const formId = useId()
  const alone = useOneAtATime<void>()
  const [isTyped, setTyped] = useState(false)
  const [isSent, setSent] = useState(false)
  const [isAsking, setAsking] = useState(false)
  return (
    <Dialog
      title={title}
      isOpen
      onClose={() => (isTyped ? setAsking(true) : onClose())}
      size={size}
      actions={
        <>
          <Button onPress={onClose}>{closeLabel}</Button>
          <Button type="submit" form={formId} tone="primary" isPending={isPending} isDisabled={isDisabled}>
            {submitLabel}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        className="flex flex-col gap-4"
        onInput={() => {
          setTyped(true)
          setSent(false)
        }}
        onSubmit={(event) => {
          event.preventDefault()
          // Do not submit a form underneath.
          event.stopPropagation()
          if (isPending || isDisabled) return
          setSent(true)
          void alone(async () => onSubmit())
        }}
      >
        {children}
      </form>
      <DiscardDialog isOpen={isAsking} onStay={() => setAsking(false)} onDiscard={onClose} />
      {/* Sending may lead to another screen. */}
      <LeaveQuestion isChanged={isTyped && !isSent} />
    </Dialog>
  )
}
