import { groupByReason } from '@holdfast/client'
import { useRejectedChanges } from '@holdfast/react'
import type { JSX } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { syncMessages as words } from '../../messages/sync.ts'
import { ReasonCard } from './reason-card.tsx'
import { RejectedChangeCard } from './rejected-change-card.tsx'

/** So many changes of one reason are shown as one card, and decided together. */
const TOGETHER_MIN = 3

/** Every refused change with its reason and its ways out. */
export function AttentionTab({ workspace }: { readonly workspace: string }): JSX.Element {
  const { changes, isLoading, error } = useRejectedChanges()
  if (error) return <ErrorNotice error={error} />
  if (isLoading) return <div aria-busy="true" />
  if (changes.length === 0) {
    return (
      <EmptyState title={words.attentionEmpty} icon={<StateGlyph name="check" size={28} />}>
        {words.attentionEmptyDetail}
      </EmptyState>
    )
  }
  return (
    <ul className="flex flex-col gap-4">
      {groupByReason(changes).flatMap((group) =>
        group.changes.length >= TOGETHER_MIN ? (
          <li key={group.key}>
            <ReasonCard changes={group.changes} workspace={workspace} />
          </li>
        ) : (
          group.changes.map((change) => (
            <li key={change.id}>
              <RejectedChangeCard change={change} workspace={workspace} headingLevel={2} />
            </li>
          ))
        ),
      )}
    </ul>
  )
}
