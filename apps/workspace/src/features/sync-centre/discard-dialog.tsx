import { useLocalDatabase } from '@holdfast/react'
import type { RejectedChange } from '@holdfast/client'
import { type JSX, useState } from 'react'
import { Checkbox } from '../../components/checkbox.tsx'
import { ErrorNotice, type ShownError } from '../../components/error-notice.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { syncMessages as words } from '../../messages/sync.ts'

/** Asks before discarding rejected changes, and says what happens to the changes held behind them. */
export function DiscardDialog({
  changes,
  isOpen,
  isPending,
  error,
  onClose,
  onDiscard,
}: {
  readonly changes: readonly RejectedChange[]
  readonly isOpen: boolean
  readonly isPending: boolean
  /** Why the last attempt was not stored. */
  readonly error: ShownError | Error | undefined
  readonly onClose: () => void
  readonly onDiscard: (withHeld: boolean) => void
}): JSX.Element {
  const { rejected } = useLocalDatabase()
  const [withHeld, setWithHeld] = useState(false)
  const held = changes.map((change) => rejected.heldBy(change))
  const free = held.reduce((sum, one) => sum + one.free.length, 0)
  const needing = held.reduce((sum, one) => sum + one.needing.length, 0)
  const count = changes.length
  return (
    <ConfirmDialog
      title={count === 1 ? words.discardTitle : words.discardManyTitle(count)}
      isOpen={isOpen}
      onClose={onClose}
      confirmLabel={count === 1 ? words.discard : words.discardMany(count)}
      isDanger
      isPending={isPending}
      onConfirm={() => onDiscard(withHeld)}
    >
      <p>{count === 1 ? words.discardDetail : words.discardManyDetail}</p>
      {needing > 0 ? <p className="pt-2">{words.discardNeeding(needing)}</p> : null}
      {free > 0 ? (
        <>
          <p className="pt-2">{words.discardFree(free)}</p>
          <Checkbox isSelected={withHeld} onChange={setWithHeld} className="pt-2">
            {words.discardWithHeld}
          </Checkbox>
        </>
      ) : null}
      {error ? <ErrorNotice error={error} /> : null}
    </ConfirmDialog>
  )
}
