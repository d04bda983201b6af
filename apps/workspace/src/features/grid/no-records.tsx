import { useParams } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { HomeLink } from '../../components/home-link.tsx'
import { LinkButton } from '../../components/link.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { gridMessages as words } from '../../messages/grid.ts'

/** An empty table: users who may add records get two ways to do so. */
export function NoRecords({
  table,
  onNew,
}: {
  readonly table: TableInfo
  readonly onNew: (() => void) | undefined
}): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/t/$table' })
  if (!onNew) {
    return (
      <EmptyState title={words.noRecordsReadOnly} action={<HomeLink />}>
        {words.noRecordsReadOnlyDetail}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title={words.noRecords(table.many)}
      action={
        <div className="flex flex-wrap justify-center gap-3">
          <Button tone="primary" onPress={onNew}>
            {words.newOf(table.noun)}
          </Button>
          <LinkButton to="/w/$ws/import" params={{ ws }} search={{ table: table.name }}>
            {words.importFile}
          </LinkButton>
        </div>
      }
    >
      {words.noRecordsDetail}
    </EmptyState>
  )
}
