import { useHasSynced } from '@holdfast/react'
import { useParams } from '@tanstack/react-router'
import type { JSX } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { LinkButton } from '../../components/link.tsx'
import { FirstRowsNote } from '../../components/records/first-rows-note.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { viewEditingMessages as words } from '../../messages/view-editing.ts'
import { viewMessages } from '../../messages/views.ts'

/** Shown for a view that is not on this device. Before the first sync ends it may still arrive. */
export function ViewGone({ table }: { readonly table: TableInfo }): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table' })
  const hasSynced = useHasSynced()
  if (!hasSynced)
    return (
      <div className="px-3">
        <FirstRowsNote rows={12} />
      </div>
    )
  return (
    <EmptyState
      title={words.gone}
      action={
        <LinkButton to="/w/$ws/t/$table" params={{ ws, table: table.name }}>
          {viewMessages.all(table.many)}
        </LinkButton>
      }
    >
      {words.goneDetail}
    </EmptyState>
  )
}
