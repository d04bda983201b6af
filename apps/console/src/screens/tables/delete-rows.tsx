import type { JSX } from 'react'
import type { TableRow } from '@holdfast/protocol'
import { ConfirmDialog, Notice } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { formatCount } from '../../lib/format.ts'
import { useRowChange, type RowsTarget } from './use-rows.ts'

/** Confirms the deletion of rows. */
export function DeleteRows({
  target,
  rows,
  onClose,
  onDone,
}: {
  readonly target: RowsTarget
  readonly rows: readonly TableRow[]
  readonly onClose: () => void
  readonly onDone: () => void
}): JSX.Element {
  const remove = useRowChange('delete', target)
  const state = remove.data?.state
  const seen = rows.map(({ address, version }) => ({ address, version }))
  return (
    <ConfirmDialog
      title={rows.length === 1 ? 'Delete this row?' : `Delete ${formatCount(rows.length)} rows?`}
      isOpen
      onClose={onClose}
      confirmLabel="Delete"
      isDanger
      isPending={remove.isPending}
      onConfirm={() =>
        remove.mutate({ rows: seen }, { onSuccess: (outcome) => (outcome.state === 'done' ? onDone() : undefined) })
      }
    >
      <div className="flex flex-col gap-3">
        <p>Rows that refer to them follow their foreign keys. The audit log keeps the beginning of each value.</p>
        {state === 'stale' || state === 'gone' ? (
          <Notice
            tone="danger"
            role="alert"
            title={state === 'stale' ? 'A row has changed since it was read' : 'A row is gone'}
          >
            Nothing was deleted. Reload the list and choose again.
          </Notice>
        ) : null}
        <FormError error={remove.error} />
      </div>
    </ConfirmDialog>
  )
}
