import type { JSX } from 'react'
import { EndedAccess } from '../../components/ended-access.tsx'
import { HomeWork } from './home-work.tsx'
import { TableList } from './table-list.tsx'

/**
 * The work, and the tables below it; until the first sync is over, the tables with what has come of them.
 *
 * @param props.onRead - called when all of it has been read once
 */
export function HomeContent({
  workspace,
  hasSynced,
  onRead,
}: {
  readonly workspace: string
  readonly hasSynced: boolean
  readonly onRead: () => void
}): JSX.Element {
  const tables = <TableList workspace={workspace} />
  if (!hasSynced) return tables
  return (
    <>
      <EndedAccess />
      <HomeWork workspace={workspace} onRead={onRead}>
        {tables}
      </HomeWork>
    </>
  )
}
