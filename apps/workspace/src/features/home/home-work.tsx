import { useRecords } from '@holdfast/react'
import { type JSX, type ReactNode, useEffect, useMemo } from 'react'
import { addDays } from '../../lib/fields/dates.ts'
import { useFavourites } from '../../lib/records/favourites.ts'
import { openWorkSql } from '../../lib/records/work-tables.ts'
import { Favourites } from './favourites.tsx'
import { MyWork } from './my-work.tsx'
import { NearMe } from './near-me.tsx'
import { OthersOnMyRecords, useOthersOnMyRecords } from './others-on-my-records.tsx'
import { ChangedSince } from './changed-since.tsx'
import { RecentRecords } from './recent-records.tsx'
import { TeamWork, useTeamWork } from './team-work.tsx'
import { RefusedSection } from '../../components/records/refused-section.tsx'
import { useWork } from './use-work.ts'
import { DAYS_SOON, type WorkRow } from './work-list.tsx'

/** Limit of records read; more than anyone completes in a week. */
const READ_MAX = 500
const THROTTLE_MS = 500

/**
 * Open work and news: rejected changes, the user's own work and the team's, changes since the last visit, favourites, recent and nearby records.
 *
 * @param props.onRead - called once all content has been read
 */
export function HomeWork({
  workspace,
  onRead,
  children,
}: {
  readonly workspace: string
  readonly onRead: () => void
  /** Rendered below, together with this content. */
  readonly children: ReactNode
}): JSX.Element | null {
  const { userId, work, team, today } = useWork()
  const { sql, parameters } = useMemo(
    () => openWorkSql(work, userId, { until: addDays(today, DAYS_SOON) }, READ_MAX),
    [work, userId, today],
  )
  const { rows, isLoading } = useRecords<WorkRow>(sql, parameters, { throttleMs: THROTTLE_MS })
  const teamWork = useTeamWork(team, today)
  const others = useOthersOnMyRecords(rows)
  const favourites = useFavourites()
  const isRead =
    (work.length === 0 || !isLoading) && teamWork !== undefined && !others.isLoading && !favourites.isLoading
  // The surrounding placeholder is another component.
  useEffect(() => {
    if (isRead) onRead()
  }, [isRead, onRead])
  if (!isRead) return null
  return (
    <div className="flex flex-col gap-8">
      <RefusedSection workspace={workspace} />
      <div className="grid grid-cols-1 gap-x-10 gap-y-8 laptop:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-8">
          {work.length === 0 ? null : (
            <MyWork
              rows={rows}
              isCut={rows.length === READ_MAX}
              isTeamBelow={teamWork.length > 0}
              {...{ work, workspace, today }}
            />
          )}
          <TeamWork rows={teamWork} {...{ team, workspace, today }} />
          <ChangedSince workspace={workspace} />
          <OthersOnMyRecords changes={others.changes} records={rows} workspace={workspace} />
        </div>
        <div className="flex min-w-0 flex-col gap-8">
          <Favourites targets={favourites.targets} workspace={workspace} />
          <RecentRecords workspace={workspace} />
          <NearMe workspace={workspace} />
        </div>
      </div>
      {children}
    </div>
  )
}
