import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Radio } from 'lucide-react'
import { type JSX, useState } from 'react'
import type { ChannelList, ListedChannel } from '@holdfast/protocol'
import { Button, EmptyState, Page, SearchField } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import { AccessChip } from './access-chip.tsx'
import { ChannelsUnavailable, isUnavailable } from './channels-unavailable.tsx'
import { REFRESH_MS } from './limits.ts'
import { SendBroadcast } from './send-broadcast.tsx'

const realtimeRoute = getRouteApi('/realtime')

/** Channels per step of the list, and the most that the server lists. */
const STEP = 50
const LISTED_MAX = 1_000

/** The channels with members on this server, those with the most members first. */
export function RealtimeScreen(): JSX.Element {
  const { search = '' } = realtimeRoute.useSearch()
  const navigate = useNavigate({ from: '/realtime' })
  const isDeveloper = useHasRole('developer')
  const settled = useDebounced(search)
  const [limit, setLimit] = useState(STEP)
  const list = useQuery({
    queryKey: ['realtime', 'channels', settled, limit],
    queryFn: ({ signal }) =>
      request<ChannelList>(`GET /realtime/channels${queryOf({ search: settled, limit })}`, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
  if (isUnavailable(list.error))
    return (
      <Page title="Realtime">
        <ChannelsUnavailable error={list.error} />
      </Page>
    )
  return (
    <Page title="Realtime" description="Channels with members on this server." actions={<SendBroadcast />}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 pb-4">
        <SearchField
          label="Search by topic"
          value={search}
          onChange={(value) => {
            setLimit(STEP)
            void navigate({ search: { search: value }, replace: true })
          }}
          className="min-w-60 flex-1"
        />
        {isDeveloper && search !== '' ? (
          <Link
            to="/realtime/channel"
            search={{ topic: search, access: 'private' }}
            className="[overflow-wrap:anywhere] text-accent underline"
          >
            Open private topic “{search}”
          </Link>
        ) : null}
      </div>
      <QueryState query={list} rows={10}>
        {(found) => (
          <Channels
            {...found}
            isSearched={settled !== ''}
            isPending={list.isPlaceholderData}
            onMore={limit < LISTED_MAX ? () => setLimit(limit + STEP) : undefined}
          />
        )}
      </QueryState>
    </Page>
  )
}

function Channels({
  channels,
  count,
  isSearched,
  isPending,
  onMore,
}: ChannelList & {
  readonly isSearched: boolean
  readonly isPending: boolean
  /** Missing once the server lists no more. */
  readonly onMore: (() => void) | undefined
}): JSX.Element {
  const isDeveloper = useHasRole('developer')
  if (channels.length === 0)
    return (
      <EmptyState icon={<Radio size={32} aria-hidden />} title={isSearched ? 'No channel matches' : 'No channels'}>
        A channel is listed while a client is in it.
      </EmptyState>
    )
  const isCut = count > channels.length
  return (
    <div className="flex flex-col gap-3">
      <DataTable
        label="Channels"
        columns={isDeveloper ? DEVELOPER_COLUMNS : COLUMNS}
        rows={channels.map((channel, index) => ({ ...channel, index }))}
        // Masked topics may be equal.
        keyOf={({ index }) => `${index}`}
      />
      <p className="text-small text-muted">
        {formatCount(channels.length)} of {formatCount(count)} shown
        {isCut && !onMore ? '. Search to find others.' : ''}
      </p>
      {isCut && onMore ? (
        <Button size="sm" className="self-start" isPending={isPending} onPress={onMore}>
          Show more
        </Button>
      ) : null}
    </div>
  )
}

type Listed = ListedChannel & { readonly index: number }

const OTHERS: readonly TableColumn<Listed>[] = [
  { id: 'access', label: 'Access', cell: ({ isPrivate }) => <AccessChip isPrivate={isPrivate} /> },
  { id: 'members', label: 'Members', isNumber: true, cell: ({ members }) => formatCount(members) },
  { id: 'present', label: 'Present', isNumber: true, cell: ({ present }) => formatCount(present) },
]

const COLUMNS: readonly TableColumn<Listed>[] = [
  { id: 'topic', label: 'Topic', cell: ({ topic }) => <span className="font-medium">{topic}</span> },
  ...OTHERS,
]

const DEVELOPER_COLUMNS: readonly TableColumn<Listed>[] = [
  {
    id: 'topic',
    label: 'Topic',
    cell: ({ topic, isPrivate }) => (
      <Link
        to="/realtime/channel"
        search={{ topic, access: isPrivate ? 'private' : 'public' }}
        className="font-medium text-accent hover:underline"
      >
        {topic}
      </Link>
    ),
  },
  ...OTHERS,
]
