import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import type { DeviceDetails, ListedDevice } from '@holdfast/protocol'
import { Button, ConfirmDialog, NoRows, Notice, Page, Section } from '@holdfast/workspace'
import { DataTable } from '../../components/data-table.tsx'
import { Facts } from '../../components/facts.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { TextBlock } from '../../components/text-block.tsx'
import { request } from '../../lib/api.ts'
import { formatCount, formatTime } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { useChange } from '../../lib/use-change.ts'
import { CompareDevice } from './compare-device.tsx'
import { clientVersionOf, deviceNameOf } from './device-name.ts'
import { DeviceState } from './device-state.tsx'
import { DeviceUploads } from './device-uploads.tsx'

const deviceRoute = getRouteApi('/devices/$user/$device')

/** Refresh interval in ms while the page is visible. */
const REFRESH_MS = 5_000

/** One device: why it is behind, what it has, what it uploaded. */
export function DeviceScreen(): JSX.Element {
  const { user, device } = deviceRoute.useParams()
  const path = `/devices/${encodeURIComponent(user)}/${encodeURIComponent(device)}`
  const mayAct = useHasRole('developer')
  const details = useQuery({
    queryKey: ['device', user, device],
    queryFn: ({ signal }) => request<DeviceDetails>(`GET ${path}`, { signal }),
    refetchInterval: REFRESH_MS,
  })
  const isConnected = details.data?.device.isConnected === true
  return (
    <Page
      title={details.data ? deviceNameOf(details.data.device) : 'Device'}
      actions={mayAct && details.data ? <Actions path={path} isConnected={isConnected} /> : undefined}
      description={
        <span className="flex gap-4">
          <Link to="/devices" className="text-accent hover:underline">
            All devices
          </Link>
          {mayAct ? (
            <Link to="/logs" search={{ user, text: device }} className="text-accent hover:underline">
              Rejections in the log
            </Link>
          ) : null}
        </span>
      }
    >
      <QueryState query={details} rows={10}>
        {(data) => (
          <div className="flex flex-col gap-8">
            <Delay device={data.device} />
            <DeviceFacts device={data.device} />
            <DeviceUploads details={data} />
            <Contents details={data} />
            {mayAct ? <CompareDevice path={path} isConnected={isConnected} /> : null}
            <StreamState details={data} />
          </div>
        )}
      </QueryState>
    </Page>
  )
}

function Actions({ path, isConnected }: { readonly path: string; readonly isConnected: boolean }): JSX.Element {
  const [isAsking, setAsking] = useState(false)
  const end = useChange('The stream was ended. The device connects again within seconds.', [['device']])
  const resync = useChange('The device downloads all its rows again.', [['device']])
  return (
    <>
      <Button
        isDisabled={!isConnected}
        isPending={end.isPending}
        onPress={() => end.mutate({ target: `POST ${path}/end` })}
      >
        End stream
      </Button>
      <Button isDisabled={!isConnected} onPress={() => setAsking(true)}>
        Resync…
      </Button>
      {isAsking ? (
        <ConfirmDialog
          title="Download all rows again?"
          isOpen
          onClose={() => setAsking(false)}
          confirmLabel="Resync"
          isPending={resync.isPending}
          onConfirm={() => resync.mutate({ target: `POST ${path}/resync` }, { onSettled: () => setAsking(false) })}
        >
          The server tells the device to clear its buckets and sends them from the beginning. The app shows the old rows
          until the new ones are complete. Changes that the device has not uploaded stay.
        </ConfirmDialog>
      ) : null}
    </>
  )
}

function Delay({ device }: { readonly device: ListedDevice }): JSX.Element {
  const { causes } = device.delay
  return (
    <section aria-label="State" className="flex flex-col items-start gap-3">
      <DeviceState device={device} />
      {causes.length === 0 ? (
        <p className="text-muted">Everything that the server has was sent to this device.</p>
      ) : (
        <ul className="flex w-full flex-col gap-2">
          {causes.map(({ code, text, action }) => (
            <li key={`${code} ${text}`}>
              <Notice tone={code === 'not_connected' ? 'info' : 'warning'} title={text}>
                {action}
              </Notice>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function DeviceFacts({ device }: { readonly device: ListedDevice }): JSX.Element {
  const { checkpoint, appMetadata } = device
  const facts: readonly (readonly [string, JSX.Element | string])[] = [
    [
      'User',
      <Link key="user" to="/users/$id" params={{ id: device.userId }} className="text-accent hover:underline">
        {device.email ?? device.userId}
      </Link>,
    ],
    ['Device id', device.clientId],
    ['Client', clientVersionOf(device) ?? '–'],
    ['User agent', device.userAgent || '–'],
    [
      'App',
      appMetadata
        ? Object.entries(appMetadata)
            .map((pair) => pair.join(' '))
            .join(', ')
        : '–',
    ],
    ['Address', device.address ?? (device.isConnected ? 'hidden' : '–')],
    ['Connected', <TimeAgo key="connected" at={device.connectedAt} />],
    ['Last seen', <TimeAgo key="seen" at={device.seenAt} />],
    ['Last checkpoint', checkpoint ? `${formatCount(checkpoint.opId)}, ${formatTime(checkpoint.at)}` : 'none'],
    ['Server', device.node],
  ]
  return <Facts facts={facts} />
}

function Contents({ details: { device, tables } }: { readonly details: DeviceDetails }): JSX.Element {
  return (
    <Section
      title="Contents"
      description={`${formatCount(device.operations)} operations in ${formatCount(device.buckets)} buckets.`}
    >
      {tables.length === 0 ? (
        <NoRows>{device.isConnected ? 'No rows' : 'Listed by table while the device is connected.'}</NoRows>
      ) : (
        <DataTable
          label="Contents"
          rows={tables}
          keyOf={({ table }) => table}
          columns={[
            { id: 'table', label: 'Table', cell: ({ table }) => table },
            { id: 'buckets', label: 'Buckets', isNumber: true, cell: ({ buckets }) => formatCount(buckets) },
            {
              id: 'rows',
              label: 'Rows',
              isNumber: true,
              cell: ({ rows }) => (rows === null ? 'too many to count' : formatCount(rows)),
            },
            {
              id: 'operations',
              label: 'Operations',
              isNumber: true,
              cell: ({ operations }) => formatCount(operations),
            },
          ]}
        />
      )}
    </Section>
  )
}

function StreamState({ details: { stream } }: { readonly details: DeviceDetails }): JSX.Element | null {
  if (!stream) return null
  return (
    <details className="text-small">
      <summary className="cursor-pointer text-muted">State of the stream</summary>
      <TextBlock label="State of the stream" isWrapped={false} className="mt-2">
        {JSON.stringify(stream, undefined, 2)}
      </TextBlock>
    </details>
  )
}
