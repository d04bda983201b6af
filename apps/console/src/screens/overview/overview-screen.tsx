import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type JSX, type ReactNode, useState } from 'react'
import type { Overview, PartHealth, RequestHistory } from '@holdfast/protocol'
import { Chip, Notice, Page, Section, Select } from '@holdfast/workspace'
import { QueryState } from '../../components/query-state.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { formatBytes, formatCount, formatDuration } from '../../lib/format.ts'
import { ServiceChart } from './service-chart.tsx'

/** Refresh interval in ms while the page is visible. */
const REFRESH_MS = 10_000

/** Health and activity of the server. */
export function OverviewScreen(): JSX.Element {
  const overview = useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => request<Overview>('GET /overview', { signal }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <Page title="Overview">
      <QueryState query={overview} rows={8}>
        {(data) => (
          <div className="flex flex-col gap-8">
            <Warnings overview={data} />
            <Facts overview={data} />
            <Requests />
          </div>
        )}
      </QueryState>
    </Page>
  )
}

function Warnings({ overview }: { readonly overview: Overview }): JSX.Element | null {
  const { errors, warnings } = overview.advice
  if (overview.warnings.length === 0 && errors + warnings === 0) return null
  return (
    <ul aria-label="Warnings" className="flex flex-col gap-2">
      {overview.warnings.map(({ message, action }) => (
        <li key={message}>
          <Notice tone="warning" title={message}>
            {action}
          </Notice>
        </li>
      ))}
      {errors + warnings === 0 ? null : (
        <li>
          <Notice
            tone={errors > 0 ? 'danger' : 'info'}
            title={`Advisors found ${counted(errors, 'error')} and ${counted(warnings, 'warning')}`}
          >
            <Link to="/advisors" className="text-accent hover:underline">
              See what to do
            </Link>
          </Notice>
        </li>
      )}
    </ul>
  )
}

function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

const STATES: Readonly<
  Record<PartHealth['state'], { readonly text: string; readonly colour: 'green' | 'amber' | 'coral' | 'slate' }>
> = {
  ok: { text: 'running', colour: 'green' },
  preparing: { text: 'preparing', colour: 'amber' },
  standby: { text: 'standby', colour: 'amber' },
  down: { text: 'down', colour: 'coral' },
  off: { text: 'off', colour: 'slate' },
}

function Facts({ overview }: { readonly overview: Overview }): JSX.Element {
  const { parts, devices, sync, database, disk, memory, startedAtMs, version } = overview
  const { applied, rejected, repeated } = sync.uploads
  return (
    <div className="grid grid-cols-1 gap-3 tablet:grid-cols-2 wide:grid-cols-4">
      <Card title="Parts">
        <ul className="flex flex-col gap-1">
          {parts.map(({ name, state, detail }) => (
            <li key={name} className="flex items-center justify-between gap-2">
              <span className="capitalize">{name}</span>
              <span title={detail}>
                <Chip colour={STATES[state].colour}>{STATES[state].text}</Chip>
              </span>
            </li>
          ))}
        </ul>
      </Card>
      <Card title="Devices">
        <Figure
          value={formatCount(devices.connected)}
          of={devices.users === 1 ? 'connected, of one user' : `connected, of ${formatCount(devices.users)} users`}
        />
        <Fact name="Behind by">{sync.lagSeconds < 0.1 ? 'nothing' : formatDuration(sync.lagSeconds)}</Fact>
        <Fact name="Uploads applied">{formatCount(applied)}</Fact>
        <Fact name="Uploads rejected">{formatCount(rejected)}</Fact>
        <Fact name="Sent again">{formatCount(repeated)}</Fact>
        <p className="text-small">
          <Link to="/devices" className="text-accent hover:underline">
            All devices
          </Link>
        </p>
      </Card>
      <Card title="Database">
        <Figure value={formatBytes(database.bytes)} of={`Postgres ${database.version}`} />
        <Fact name="Connections">{`${formatCount(database.connections)} of ${formatCount(database.connectionsMax)}`}</Fact>
        {sync.logBytes === undefined ? null : <Fact name="Operation log">{formatBytes(sync.logBytes)}</Fact>}
        {sync.slotKeptBytes === undefined ? null : (
          <Fact name="WAL kept for the slot">{formatBytes(sync.slotKeptBytes)}</Fact>
        )}
      </Card>
      <Card title="Server">
        <Figure value={uptimeOf(startedAtMs)} of="since the start" />
        <Fact name="Version">{version}</Fact>
        <Fact name="Memory">{formatBytes(memory.residentBytes)}</Fact>
        {disk === undefined ? null : (
          <Fact name="Free disk space">{`${formatBytes(disk.freeBytes)} of ${formatBytes(disk.totalBytes)}`}</Fact>
        )}
      </Card>
    </div>
  )
}

function uptimeOf(startedAtMs: number): string {
  return formatDuration((Date.now() - startedAtMs) / 1_000)
}

function Card({ title, children }: { readonly title: string; readonly children: ReactNode }): JSX.Element {
  return (
    <section aria-label={title} className="flex flex-col gap-2 rounded-lg border border-border bg-raised p-4">
      <h2 className="text-small font-medium text-muted">{title}</h2>
      {children}
    </section>
  )
}

function Figure({ value, of }: { readonly value: string; readonly of: string }): JSX.Element {
  return (
    <p className="flex flex-wrap items-baseline gap-x-2">
      <span className="text-display tabular-nums">{value}</span> <span className="text-muted">{of}</span>
    </p>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: string }): JSX.Element {
  return (
    <p className="flex justify-between gap-2 text-small">
      <span className="text-muted">{name}</span>
      <span className="tabular-nums">{children}</span>
    </p>
  )
}

const RANGES = [
  { value: '1', label: 'Last hour' },
  { value: '3', label: 'Last 3 hours' },
  { value: '24', label: 'Last 24 hours' },
]

function Requests(): JSX.Element {
  const [hours, setHours] = useState('1')
  const history = useQuery({
    queryKey: ['requests', hours],
    queryFn: ({ signal }) => request<RequestHistory>(`GET /requests${queryOf({ hours })}`, { signal }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  })
  return (
    <Section
      title="Requests"
      description="Per service, since this server started. Sync streams are not counted."
      action={
        <Select label="Range" isLabelHidden options={RANGES} value={hours} onChange={setHours} className="w-40" />
      }
    >
      <QueryState query={history} rows={4}>
        {({ services, ...range }) =>
          services.length === 0 ? (
            <p className="text-muted">No requests yet.</p>
          ) : (
            <div className="grid grid-cols-1 gap-3 laptop:grid-cols-2 wide:grid-cols-3">
              {services
                .toSorted((a, b) => a.service.localeCompare(b.service))
                .map((service) => (
                  <ServiceChart key={service.service} service={service} range={range} />
                ))}
            </div>
          )
        }
      </QueryState>
    </Section>
  )
}
