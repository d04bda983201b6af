import { type JSX, type ReactNode, useId } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { useOneAtATime } from '../hooks/use-one-at-a-time.ts'
import { commonMessages as words } from '../messages/common.ts'

/** A dialog with one form: Enter and the main button submit it once. */
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
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
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
        onSubmit={(event) => {
          event.preventDefault()
          // Do not submit a form underneath.
          event.stopPropagation()
          if (!isPending && !isDisabled) void alone(async () => onSubmit())
        }}
      >
        {children}
      </form>
    </Dialog>
  )
}
