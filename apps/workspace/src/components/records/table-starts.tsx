import { useParams } from '@tanstack/react-router'
import type { JSX } from 'react'
import { canChange, useWorkspace } from '../../lib/records/use-workspace.ts'
import { homeMessages as words } from '../../messages/home.ts'
import { HomeLink } from '../home-link.tsx'
import { LinkButton } from '../link.tsx'

/** Offers owners and admins a new table, and others the way home. */
export function TableStarts(): JSX.Element {
  const { ws } = useParams({ strict: false })
  const workspace = useWorkspace()
  if (!workspace || !canChange(workspace) || ws === undefined) return <HomeLink />
  return (
    <div className="flex flex-wrap justify-center gap-3">
      <LinkButton to="/w/$ws/templates" params={{ ws }}>
        {words.fromTemplate}
      </LinkButton>
      <LinkButton to="/w/$ws/new-table" params={{ ws }}>
        {words.newTable}
      </LinkButton>
    </div>
  )
}
