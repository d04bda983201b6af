import type { JSX } from 'react'
import { EndedAccess } from '../../components/ended-access.tsx'
import { Coach } from './coach.tsx'
import { HomeWork } from './home-work.tsx'
import { SampleNotice } from './sample-notice.tsx'
import { TableList } from './table-list.tsx'

/**
 * The user's work with the tables below. During the first sync: the tables with their progress.
 *
 * @param props.onRead - called once all content has been read
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
    <div className="flex flex-col gap-8">
      <EndedAccess />
      <Coach workspace={workspace} />
      <SampleNotice workspace={workspace} />
      <HomeWork workspace={workspace} onRead={onRead}>
        {tables}
      </HomeWork>
    </div>
  )
}
