import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { type JSX, useState } from 'react'
import { EmptyState, Notice, Page } from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { messageOf } from '../../lib/api.ts'
import { formatCount, formatTime } from '../../lib/format.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import { LogEntries } from './log-entries.tsx'
import { LogFilters } from './log-filters.tsx'
import { type LogFilter, useLogs } from './use-logs.ts'

const logsRoute = getRouteApi('/logs')

/** The log of this server: requests, and messages of all services, newest first. */
export function LogsScreen(): JSX.Element {
  const filter: LogFilter = logsRoute.useSearch()
  const navigate = useNavigate({ from: '/logs' })
  const [isLive, setLive] = useState(true)
  const settled = useDebounced(JSON.stringify(filter))
  const { list, liveError } = useLogs(JSON.parse(settled) as LogFilter, isLive)
  const narrow = (change: LogFilter): void =>
    void navigate({ search: (before) => withoutEmpty({ ...before, ...change }), replace: true })
  const isNarrowed = settled !== '{}'
  return (
    <Page
      title="Logs"
      description="Requests, sign-ins, uploads, output of functions and messages of Postgres. Kept for up to 7 days."
    >
      <LogFilters filter={filter} isLive={isLive} onChange={narrow} onLive={setLive} />
      {liveError === null ? null : (
        <Notice tone="warning" role="status" title="New entries cannot be loaded" className="mb-4">
          {messageOf(liveError)}
        </Notice>
      )}
      <QueryState query={list} rows={10}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.entries)
          const last = pages.at(-1)
          const dropped = pages[0]?.dropped ?? 0
          return (
            <div className="flex flex-col gap-3">
              {dropped === 0 ? null : (
                <p className="text-small text-muted">
                  {formatCount(dropped)} lines were not kept since this server started, because a user or function wrote
                  too many, or the disk did not take them.
                </p>
              )}
              {entries.length > 0 ? (
                <LogEntries entries={entries} onNarrow={narrow} />
              ) : last?.next === undefined ? (
                <EmptyState
                  icon={<ScrollText size={32} aria-hidden />}
                  title={isNarrowed ? 'No entry matches' : 'No entries yet'}
                />
              ) : null}
              {last?.searchedTo === undefined ? null : (
                <p role="status" className="text-muted">
                  Searched back to {formatTime(last.searchedTo)}. Show more to go on.
                </p>
              )}
              <ShowMore list={list} />
            </div>
          )
        }}
      </QueryState>
    </Page>
  )
}

/** A cleared field narrows nothing: an empty number of hours would be none. */
function withoutEmpty(filter: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(filter).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}
