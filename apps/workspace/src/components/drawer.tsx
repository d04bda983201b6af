import type { JSX, ReactNode } from 'react'
import { Dialog as AriaDialog } from 'react-aria-components/Dialog'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { cx } from '../lib/cx.ts'

/** A modal panel at an edge of a narrow window: navigation on the left, records on the right. */
export function Drawer({
  label,
  side,
  isOpen,
  onClose,
  children,
  className,
}: {
  readonly label: string
  readonly side: 'left' | 'right'
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  readonly className?: string
}): JSX.Element {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      isDismissable
      className="fixed inset-0 z-40 h-(--visual-viewport-height) bg-scrim data-entering:animate-fade"
    >
      <Modal
        className={cx(
          'absolute inset-y-0 flex w-full flex-col border-border bg-raised shadow-dialog',
          side === 'left'
            ? 'left-0 max-w-72 border-r data-entering:animate-slide-left'
            : 'right-0 max-w-[420px] border-l data-entering:animate-slide-right',
          className,
        )}
      >
        <AriaDialog aria-label={label} className="flex min-h-0 flex-1 flex-col outline-none">
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
