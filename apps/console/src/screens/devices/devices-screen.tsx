import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { MonitorSmartphone } from 'lucide-react'
import type { JSX } from 'react'
import type { ListedDevice } from '@holdfast/protocol'
import { Button, EmptyState, Page } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { type ListFilter, ListFilters } from '../../components/list-filters.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import { deviceNameOf } from './device-name.ts'
import { DeviceState } from './device-state.tsx'

const devicesRoute = getRouteApi('/devices')

interface DevicesPage {
  readonly devices: readonly ListedDevice[]
  readonly next?: string
}

const STATES = [
  { value: 'connected', label: 'Connected' },
  { value: 'behind', label: 'Behind' },
  { value: 'offline', label: 'Offline' },
]

/** Refresh interval in ms while the page is visible. */
const REFRESH_MS = 10_000

/** Devices that are connected or were seen in the last month, last seen first. */
export function DevicesScreen(): JSX.Element {
  const { search = '', state } = devicesRoute.useSearch()
  const navigate = useNavigate({ from: '/devices' })
  const mayFind = useHasRole('developer')
  const settled = useDebounced(search)
  const list = useInfiniteQuery({
    queryKey: ['devices', settled, state],
    queryFn: ({ pageParam, signal }) =>
      request<DevicesPage>(`GET /devices${queryOf({ search: settled, state, after: pageParam })}`, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
  const narrow = (change: ListFilter): void =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
  return (
    <Page title="Devices" description="Connected now, or seen in the last 30 days.">
      <ListFilters
        searchLabel={mayFind ? 'Search by user or device id' : 'Search by id'}
        allLabel="All devices"
        states={STATES}
        filter={{ search, ...(state !== undefined && { state }) }}
        onChange={narrow}
      />
      <QueryState query={list} rows={10}>
        {({ pages }) => {
          const devices = pages.flatMap((page) => page.devices)
          const isNarrowed = settled !== '' || state !== undefined
          return devices.length === 0 ? (
            <EmptyState
              icon={<MonitorSmartphone size={32} aria-hidden />}
              title={isNarrowed ? 'No device matches' : 'No devices yet'}
              action={
                isNarrowed ? <Button onPress={() => narrow({ search: '', state: '' })}>Show all</Button> : undefined
              }
            >
              {isNarrowed ? undefined : 'A device appears here when it first syncs.'}
            </EmptyState>
          ) : (
            <div className="flex flex-col gap-3">
              <DataTable
                label="Devices"
                columns={COLUMNS}
                rows={devices}
                keyOf={({ userId, clientId }) => `${userId} ${clientId}`}
              />
              <ShowMore list={list} />
            </div>
          )
        }}
      </QueryState>
    </Page>
  )
}

const COLUMNS: readonly TableColumn<ListedDevice>[] = [
  {
    id: 'device',
    label: 'Device',
    cell: (device) => (
      <Link
        to="/devices/$user/$device"
        params={{ user: device.userId, device: device.clientId }}
        className="font-medium text-accent hover:underline"
      >
        {deviceNameOf(device)}
      </Link>
    ),
  },
  { id: 'user', label: 'User', cell: ({ email, userId }) => email ?? userId },
  {
    id: 'state',
    label: 'State',
    cell: (device) => (
      <span className="flex flex-col items-start gap-1">
        <DeviceState device={device} />
        {device.isConnected && device.delay.causes[0] ? (
          <span className="text-small text-muted">{device.delay.causes[0].text}</span>
        ) : null}
      </span>
    ),
  },
  { id: 'seen', label: 'Last seen', cell: ({ seenAt }) => <TimeAgo at={seenAt} /> },
  {
    id: 'checkpoint',
    label: 'Last checkpoint',
    cell: ({ checkpoint }) => <TimeAgo at={checkpoint?.at ?? null} missing="none" />,
  },
  { id: 'buckets', label: 'Buckets', isNumber: true, cell: ({ buckets }) => formatCount(buckets) },
  { id: 'operations', label: 'Operations', isNumber: true, cell: ({ operations }) => formatCount(operations) },
  {
    id: 'rejected',
    label: 'Rejected',
    isNumber: true,
    cell: ({ rejected }) =>
      rejected === 0 ? '0' : <span className="font-medium text-danger">{formatCount(rejected)}</span>,
  },
]
