import { type ComponentProps, type JSX, type ReactNode, useState } from 'react'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Row } from '../../components/section.tsx'
import { showToast } from '../../components/toast.tsx'
import { ActionButton } from './action-button.tsx'
import { FailureText } from './failure-text.tsx'
import { useAction } from './use-action.ts'

export interface Removal {
  readonly label: string
  /** The label including the item's name, for screen readers. */
  readonly namedLabel: string
  /** Title of the confirmation dialog. */
  readonly title: string
  readonly detail: string
  readonly run: () => Promise<void>
  /** Shown after the removal. */
  readonly done: string
  /** Moves the focus elsewhere, because the row is gone with its button. */
  readonly onGone: () => void
}

/** A row with an item that the user can remove or end after confirmation. */
export function RemovableRow({
  removal,
  actions,
  children,
  ...row
}: Omit<ComponentProps<typeof Row>, 'below'> & {
  /** `undefined`: it cannot be removed. */
  readonly removal: Removal | undefined
  readonly children: ReactNode
}): JSX.Element {
  const action = useAction()
  const [isAsking, setAsking] = useState(false)
  const remove = async (): Promise<void> => {
    setAsking(false)
    if (removal === undefined || !(await action.run(removal.run))) return
    showToast({ text: removal.done })
    removal.onGone()
  }
  return (
    <Row
      {...row}
      actions={
        removal === undefined ? (
          actions
        ) : (
          <>
            {actions}
            <ActionButton
              size="sm"
              aria-label={removal.namedLabel}
              isPending={action.isPending}
              onPress={() => setAsking(true)}
            >
              {removal.label}
            </ActionButton>
          </>
        )
      }
      below={<FailureText failure={action.failure} />}
    >
      {children}
      {removal === undefined ? null : (
        <ConfirmDialog
          title={removal.title}
          isOpen={isAsking}
          onClose={() => setAsking(false)}
          isDanger
          confirmLabel={removal.label}
          onConfirm={() => void remove()}
        >
          <p>{removal.detail}</p>
        </ConfirmDialog>
      )}
    </Row>
  )
}
