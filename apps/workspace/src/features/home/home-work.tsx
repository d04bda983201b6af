import { useRecords } from '@holdfast/react'
import { type JSX, type ReactNode, useEffect, useMemo } from 'react'
import { addDays } from '../../lib/fields/dates.ts'
import { useFavourites } from '../../lib/records/favourites.ts'
import { openWorkSql } from '../../lib/records/work-tables.ts'
import { Favourites } from './favourites.tsx'
import { MyWork } from './my-work.tsx'
import { NearMe } from './near-me.tsx'
import { OthersOnMyRecords, useOthersOnMyRecords } from './others-on-my-records.tsx'
import { RecentRecords } from './recent-records.tsx'
import { RefusedSection } from '../../components/records/refused-section.tsx'
import { useWork } from './use-work.ts'
import { DAYS_SOON, type WorkRow } from './work-list.tsx'

/** Records that are read; more than anybody gets done in a week. */
const READ_MAX = 500
const THROTTLE_MS = 500

/**
 * What is to be done and what happened meanwhile: refused changes, the person's own work, what others did to it, favourites, what was open last, what is near.
 *
 * @param props.onRead - called when all of it has been read once
 */
export function HomeWork({
  workspace,
  onRead,
  children,
}: {
  readonly workspace: string
  readonly onRead: () => void
  /** Stands below, and comes with it. */
  readonly children: ReactNode
}): JSX.Element | null {
  const { schema, userId, work, today } = useWork()
  const { sql, parameters } = useMemo(
    () => openWorkSql(schema, work, userId, { until: addDays(today, DAYS_SOON) }, READ_MAX),
    [schema, work, userId, today],
  )
  const { rows, isLoading } = useRecords<WorkRow>(sql, parameters, { throttleMs: THROTTLE_MS })
  const others = useOthersOnMyRecords(rows)
  const favourites = useFavourites()
  const isRead = (work.length === 0 || !isLoading) && !others.isLoading && !favourites.isLoading
  // The place around it is a component of its own.
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
            <MyWork rows={rows} isCut={rows.length === READ_MAX} {...{ work, workspace, today }} />
          )}
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
