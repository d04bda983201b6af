import { groupByReason } from '@holdfast/client'
import { useIncompleteTables, useRejectedChanges } from '@holdfast/react'
import type { JSX } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { LinkButton } from '../../components/link.tsx'
import { Notice } from '../../components/notice.tsx'
import { StateGlyph } from '../../components/state-glyph.tsx'
import { useRefusedFiles } from '../../lib/photos/use-refused-files.ts'
import { syncFileMessages } from '../../messages/sync-files.ts'
import { syncMessages as words } from '../../messages/sync.ts'
import { IncompleteTables } from './incomplete-tables.tsx'
import { ReasonCard } from './reason-card.tsx'
import { RejectedChangeCard } from './rejected-change-card.tsx'
import { Together } from './together.tsx'

/** Incomplete tables and all rejected changes, with reasons and actions. */
export function AttentionTab({ workspace }: { readonly workspace: string }): JSX.Element {
  const incomplete = useIncompleteTables()
  const refusedFiles = useRefusedFiles()
  return (
    <div>
      <IncompleteTables tables={incomplete} />
      {refusedFiles === 0 ? null : (
        <Notice
          tone="danger"
          className="mb-4"
          title={syncFileMessages.attentionTitle(refusedFiles)}
          actions={
            <LinkButton size="sm" to="/w/$ws/sync" params={{ ws: workspace }} search={{ tab: 'files' }}>
              {syncFileMessages.decide}
            </LinkButton>
          }
        >
          {syncFileMessages.attentionDetail}
        </Notice>
      )}
      <RejectedChangesList workspace={workspace} hasOthers={incomplete.length > 0 || refusedFiles > 0} />
    </div>
  )
}

/** @param hasOthers - other items need attention, so the list must not claim that nothing does */
function RejectedChangesList({
  workspace,
  hasOthers,
}: {
  readonly workspace: string
  readonly hasOthers: boolean
}): JSX.Element | null {
  const { changes, isLoading, error } = useRejectedChanges()
  if (error) return <ErrorNotice error={error} />
  if (isLoading) return <div aria-busy="true" />
  if (changes.length === 0) {
    return hasOthers ? null : (
      <EmptyState title={words.attentionEmpty} icon={<StateGlyph name="check" size={28} />}>
        {words.attentionEmptyDetail}
      </EmptyState>
    )
  }
  const groups = groupByReason(changes)
  return (
    <ul className="flex flex-col gap-4">
      <Together groups={groups}>
        {(isTogether) =>
          groups.flatMap((group) =>
            isTogether(group) ? (
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
          )
        }
      </Together>
    </ul>
  )
}
