import type { JSX } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { syncMessages as words } from '../../messages/sync.ts'
import { RejectedChangeCard } from './rejected-change-card.tsx'
import { useRejectedChanges } from '@holdfast/react'

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
      {changes.map((change) => (
        <li key={change.id}>
          <RejectedChangeCard change={change} workspace={workspace} headingLevel={2} />
        </li>
      ))}
    </ul>
  )
}
