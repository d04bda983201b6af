import { X } from 'lucide-react'
import type { JSX, ReactNode } from 'react'
import { Dialog as AriaDialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { cx } from '../lib/cx.ts'
import { commonMessages } from '../messages/common.ts'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'

export interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  /** Buttons at the bottom, the main one last. */
  readonly actions?: ReactNode
  readonly size?: 'sm' | 'md' | 'lg'
  /** `stack`: vertical with the main one first, for three choices with long labels. */
  readonly actionsLayout?: 'row' | 'stack'
  /** An alert dialog requires a decision: an outside click does not close it. */
  readonly role?: 'dialog' | 'alertdialog'
}

const WIDTHS = { sm: 'max-w-md', md: 'max-w-xl', lg: 'max-w-3xl' } as const

/** A modal dialog: traps and restores focus, closes on Escape; a bottom sheet on phones. */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  actions,
  size = 'sm',
  actionsLayout = 'row',
  role = 'dialog',
}: DialogProps): JSX.Element {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      isDismissable={role === 'dialog'}
      className="fixed inset-0 z-50 flex h-(--visual-viewport-height) items-end justify-center bg-scrim data-entering:animate-fade tablet:items-center tablet:p-6"
    >
      <Modal
        className={cx(
          'flex max-h-full w-full flex-col rounded-t-lg border border-border bg-raised shadow-dialog data-entering:animate-rise tablet:rounded-lg',
          WIDTHS[size],
        )}
      >
        <AriaDialog role={role} className="flex min-h-0 flex-col outline-none">
          <div className="flex items-start justify-between gap-4 px-5 pt-4 pb-2">
            <Heading slot="title" className="text-title">
              {title}
            </Heading>
            <IconButton
              label={commonMessages.close}
              icon={<X size={18} aria-hidden />}
              size="sm"
              onPress={onClose}
              hasTooltip={false}
            />
          </div>
          <div className="min-h-0 overflow-auto px-5 pb-5">{children}</div>
          {actions === undefined ? null : (
            <div
              className={cx(
                'flex flex-col-reverse gap-2 border-t border-border px-5 py-3',
                actionsLayout === 'row' && 'tablet:flex-row tablet:justify-end',
              )}
            >
              {actions}
            </div>
          )}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

/** A confirmation before something irreversible. */
export function ConfirmDialog({
  title,
  isOpen,
  onClose,
  children,
  confirmLabel,
  cancelLabel = commonMessages.cancel,
  isDanger = false,
  isPending = false,
  isDisabled = false,
  onConfirm,
}: Omit<DialogProps, 'actions' | 'actionsLayout' | 'role' | 'size'> & {
  readonly confirmLabel: string
  readonly cancelLabel?: string
  readonly isDanger?: boolean
  readonly isPending?: boolean
  /** Whether it cannot be confirmed yet. */
  readonly isDisabled?: boolean
  readonly onConfirm: () => void
}): JSX.Element {
  return (
    <Dialog
      title={title}
      isOpen={isOpen}
      onClose={onClose}
      role="alertdialog"
      actions={
        <>
          <Button onPress={onClose} autoFocus={isDanger}>
            {cancelLabel}
          </Button>
          <Button
            tone={isDanger ? 'danger' : 'primary'}
            onPress={onConfirm}
            isPending={isPending}
            isDisabled={isDisabled}
            autoFocus={!isDanger}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}
