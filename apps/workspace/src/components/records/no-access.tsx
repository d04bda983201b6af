import { useLocalDatabase } from '@holdfast/react'
import type { JSX } from 'react'
import { chooseWorkspace } from '../../lib/data/chosen-workspace.ts'
import { useWorkspaceOfTable } from '../../lib/data/use-tables.tsx'
import { noRecordsMessages as none } from '../../messages/no-records.ts'
import { workspacesMessages } from '../../messages/workspaces.ts'
import { Button } from '../button.tsx'
import { EmptyState } from '../empty-state.tsx'
import { HomeLink } from '../home-link.tsx'

/** A table that is not shown: of another workspace of the user, which they can open, or not theirs to see. */
export function NoAccess({ table }: { readonly table: string }): JSX.Element {
  const { userId } = useLocalDatabase()
  const elsewhere = useWorkspaceOfTable(table)
  if (elsewhere) {
    return (
      <EmptyState
        title={workspacesMessages.elsewhere(elsewhere.name)}
        action={
          <Button tone="primary" onPress={() => chooseWorkspace(userId, elsewhere.id)}>
            {workspacesMessages.open(elsewhere.name)}
          </Button>
        }
      />
    )
  }
  return (
    <EmptyState title={none.noAccess} action={<HomeLink />}>
      {none.noAccessDetail}
    </EmptyState>
  )
}
