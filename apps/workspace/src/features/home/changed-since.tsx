import { useLocalDatabase, useRecords } from '@holdfast/react'
import { Link } from '@tanstack/react-router'
import { type JSX, useMemo, useState } from 'react'
import { TableIcon } from '../../components/table-icon.tsx'
import { RecordLine } from '../../components/records/record-line.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { shortId } from '../../lib/data/use-record-title.ts'
import { useSpacedRecords } from '../../lib/data/use-spaced-records.ts'
import { useTables } from '../../lib/data/use-tables.tsx'
import { momentOf } from '../../lib/fields/dates.ts'
import { formatAgo, formatCount, formatSince } from '../../lib/format.ts'
import {
  type ChangedCount,
  changedCountsSql,
  type ChangedRecord,
  changedRecordsSql,
  COUNT_MAX,
  followedTables,
} from '../../lib/records/changed-since.ts'
import { useReadMark } from '../../lib/records/read-marks.ts'
import { continueVisit, lastSeen, parseVisit, VISIT_SQL, VISITS } from '../../lib/records/visit.ts'
import { workMessages as words } from '../../messages/work.ts'

/** What others added and changed since this user's last visit, by table; nothing on a first visit. */
export function ChangedSince({ workspace }: { readonly workspace: string }): JSX.Element | null {
  const { userId } = useLocalDatabase()
  const all = useTables()
  const tables = useMemo(() => followedTables(all), [all])
  const since = useLastSeen()
  const asked = since === undefined ? [] : tables
  const read = [...asked.map(({ name }) => name), 'hf_local_recent']
  const counted = changedCountsSql(asked, userId, since ?? '')
  const counts = useSpacedRecords<ChangedCount>(counted.sql, counted.parameters, read) ?? []
  const listed = changedRecordsSql(asked, userId, since ?? '')
  const records = useSpacedRecords<ChangedRecord>(listed.sql, listed.parameters, read) ?? []
  const changed = counts.filter(({ count }) => count > 0)
  const total = changed.reduce((sum, { count }) => sum + count, 0)
  const at = since === undefined ? undefined : momentOf(since)
  if (total === 0 || at === undefined) return null
  const isCut = changed.some(({ count }) => count === COUNT_MAX)
  return (
    <section aria-labelledby="home-changed">
      <h2 id="home-changed" className="pb-2 text-heading">
        {words.changedSince(total, isCut, formatSince(at))}
      </h2>
      <div className="flex flex-col gap-3">
        {changed.map(({ table: name, count }) => {
          const table = tables.find((one) => one.name === name)
          return table ? (
            <ChangedTable
              key={name}
              count={count}
              records={records.filter((record) => record.table === name)}
              {...{ table, workspace }}
            />
          ) : null
        })}
      </div>
    </section>
  )
}

function ChangedTable({
  table,
  count,
  records,
  workspace,
}: {
  readonly table: TableInfo
  readonly count: number
  readonly records: readonly ChangedRecord[]
  readonly workspace: string
}): JSX.Element {
  const shown = count === COUNT_MAX ? `${formatCount(COUNT_MAX)}+` : formatCount(count)
  return (
    <div>
      <h3 className="flex items-center gap-2 text-body font-medium">
        <TableIcon table={table} />
        {table.label} <span className="text-small font-regular text-muted tabular-nums">{shown}</span>
      </h3>
      <ul aria-label={table.label} className="flex flex-col">
        {records.map(({ id, title, at, isNew }) => {
          const moment = momentOf(at)
          return (
            <RecordLine
              key={id}
              workspace={workspace}
              table={table.name}
              id={id}
              title={title === null ? shortId(id) : String(title)}
              detail={isNew === 1 ? words.added : words.edited}
              after={moment ? <span className="shrink-0 text-small text-muted">{formatAgo(moment)}</span> : null}
            />
          )
        })}
      </ul>
      {count > records.length && records.length > 0 ? (
        <Link
          to="/w/$ws/t/$table"
          params={{ ws: workspace, table: table.name }}
          search={{ s: '-updated_at' }}
          className="inline-flex min-h-8 items-center px-1 text-small text-accent underline-offset-2 hover:underline coarse:min-h-11"
        >
          {words.newestFirst(table.many)}
        </Link>
      ) : null}
    </div>
  )
}

/** Returns the end of the user's previous visit on any device, ISO; `undefined` if there is none or while it is read. */
function useLastSeen(): string | undefined {
  const [now] = useState(() => new Date())
  const { rows, isLoading } = useRecords<{ readonly ref: string }>(VISIT_SQL)
  const mark = useReadMark(VISITS)
  if (isLoading) return undefined
  return lastSeen(continueVisit(parseVisit(rows[0]?.ref), now), mark ?? '')
}
