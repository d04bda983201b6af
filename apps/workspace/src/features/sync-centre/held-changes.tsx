import type { RejectedChange } from '@holdfast/client'
import type { JSX } from 'react'
import { RecordStateMark } from '../../components/state-glyph.tsx'
import { syncMessages as words } from '../../messages/sync.ts'
import { Operation } from './outbox-tab.tsx'
import { WrittenValues } from './written-values.tsx'

/** Lists the changes held behind a rejected one: not judged yet and not lost. */
export function HeldChanges({
  change,
  workspace,
}: {
  readonly change: RejectedChange
  readonly workspace: string
}): JSX.Element | null {
  if (change.held.length === 0) return null
  return (
    <section aria-label={words.heldTitle(change.held.length)} className="rounded-md border border-border">
      <p className="border-b border-border bg-warning-soft px-3 py-2 text-small font-medium text-text">
        {words.heldTitle(change.held.length)}
      </p>
      <ul className="flex flex-col">
        {change.held.map(({ position, operations }) => (
          <li key={position} className="flex gap-3 border-border px-3 py-2 not-first:border-t">
            <span className="pt-0.5">
              <RecordStateMark state="held" />
            </span>
            <ul className="flex min-w-0 flex-1 flex-col gap-1">
              {operations.map((operation) => (
                <Operation key={operation.op_id} operation={operation} workspace={workspace}>
                  <WrittenValues operation={operation} />
                </Operation>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  )
}
