import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { type JSX } from 'react'
import type { ListedAuditEntry } from '@holdfast/protocol'
import { Button, EmptyState, Page, SearchField } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { useDebounced } from '../../lib/use-debounced.ts'

const auditRoute = getRouteApi('/audit')

interface Page {
  readonly entries: readonly ListedAuditEntry[]
  readonly next?: string
}

/** What operators did, newest first. */
export function AuditScreen(): JSX.Element {
  const { target = '', operator, action } = auditRoute.useSearch()
  const navigate = useNavigate({ from: '/audit' })
  const settled = useDebounced(target)
  const list = useInfiniteQuery({
    queryKey: ['audit', settled, operator, action],
    queryFn: ({ pageParam, signal }) =>
      request<Page>(`GET /audit${queryOf({ target: settled, operator, action, before: pageParam })}`, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
  const narrow = (change: { target?: string; operator?: string; action?: string }): void =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
  const isNarrowed = settled !== '' || operator !== undefined || action !== undefined
  return (
    <Page title="Audit log" description="Everything that operators changed, with who, what, before and after.">
      <div className="flex flex-wrap items-center gap-2 pb-4">
        <SearchField
          label="Search by target"
          value={target}
          onChange={(value) => narrow({ target: value })}
          className="min-w-60 flex-1"
        />
        {isNarrowed ? (
          <Button size="sm" onPress={() => narrow({ target: '', operator: '', action: '' })}>
            Show all
          </Button>
        ) : null}
      </div>
      <QueryState query={list} rows={10}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.entries)
          return entries.length === 0 ? (
            <EmptyState
              icon={<History size={32} aria-hidden />}
              title={isNarrowed ? 'No entry matches' : 'No entries yet'}
            />
          ) : (
            <div className="flex flex-col gap-3">
              <DataTable label="Audit log" columns={columnsOf(narrow)} rows={entries} keyOf={({ id }) => id} />
              <ShowMore list={list} />
            </div>
          )
        }}
      </QueryState>
    </Page>
  )
}

function columnsOf(
  narrow: (change: { operator?: string; action?: string }) => void,
): readonly TableColumn<ListedAuditEntry>[] {
  const filter = (label: string, change: { operator?: string; action?: string }): JSX.Element => (
    <button
      type="button"
      className="text-left text-accent hover:underline"
      title={`Only ${label}`}
      onClick={() => narrow(change)}
    >
      {label}
    </button>
  )
  return [
    { id: 'at', label: 'When', cell: ({ at }) => <TimeAgo at={at} /> },
    { id: 'operator', label: 'Who', cell: ({ operator }) => filter(operator, { operator }) },
    { id: 'action', label: 'Action', cell: ({ action }) => filter(action.replaceAll('_', ' '), { action }) },
    { id: 'target', label: 'Target', cell: ({ target }) => target ?? '–' },
    { id: 'change', label: 'Change', cell: (entry) => <Change entry={entry} /> },
    { id: 'from', label: 'From', cell: ({ address }) => address ?? '–' },
    {
      id: 'request',
      label: 'Request',
      cell: ({ requestId }) =>
        requestId === null ? (
          '–'
        ) : (
          <Link to="/logs" search={{ request: requestId }} className="text-accent hover:underline">
            {requestId.slice(0, 8)}
          </Link>
        ),
    },
  ]
}

function Change({ entry: { before, after, error } }: { readonly entry: ListedAuditEntry }): JSX.Element {
  return (
    <span className="flex flex-col gap-1">
      {error === null ? null : <span className="text-danger">{error}</span>}
      {before === null ? null : <code className="font-mono text-mono text-muted">before {JSON.stringify(before)}</code>}
      {after === null ? null : <code className="font-mono text-mono">{JSON.stringify(after)}</code>}
      {error === null && before === null && after === null ? '–' : null}
    </span>
  )
}
