import { Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import type { ListedLogEntry } from '@holdfast/protocol'
import { Chip } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { formatClock, formatTime } from '../../lib/format.ts'
import { serviceName } from './log-filters.tsx'
import type { LogFilter } from './use-logs.ts'

type Narrow = (change: LogFilter) => void

/** Entries as a table. Request ids and services narrow it. */
export function LogEntries({
  entries,
  onNarrow,
}: {
  readonly entries: readonly ListedLogEntry[]
  readonly onNarrow: Narrow
}): JSX.Element {
  return <DataTable label="Logs" columns={columnsOf(onNarrow)} rows={entries} keyOf={({ id }) => id} />
}

const LEVELS: Readonly<Record<string, JSX.Element>> = {
  error: <Chip colour="coral">error</Chip>,
  warn: <Chip colour="amber">warning</Chip>,
}

function columnsOf(onNarrow: Narrow): readonly TableColumn<ListedLogEntry>[] {
  return [
    {
      id: 'at',
      label: 'Time',
      cell: ({ at }) => (
        <time dateTime={at} title={formatTime(at)} className="whitespace-nowrap tabular-nums">
          {formatClock(at)}
        </time>
      ),
    },
    {
      id: 'service',
      label: 'Service',
      cell: ({ service, function: name }) => (
        <span className="flex flex-col items-start">
          <Narrower label={serviceName(service)} onPress={() => onNarrow({ service })} />
          {name === undefined ? null : <span className="text-small text-muted">{name}</span>}
        </span>
      ),
    },
    { id: 'level', label: 'Level', cell: ({ level }) => LEVELS[level] ?? <span className="text-muted">{level}</span> },
    { id: 'what', label: 'Entry', cell: (entry) => <What entry={entry} /> },
    {
      id: 'user',
      label: 'User',
      cell: ({ userId, email }) =>
        userId === undefined ? (
          '–'
        ) : (
          <Link to="/users/$id" params={{ id: userId }} className="text-accent hover:underline">
            {email ?? shortId(userId)}
          </Link>
        ),
    },
    {
      id: 'request',
      label: 'Request',
      cell: ({ requestId }) =>
        requestId === undefined ? (
          '–'
        ) : (
          <Narrower
            label={shortId(requestId)}
            title={`Everything of request ${requestId}`}
            onPress={() => onNarrow({ text: '', user: '', service: '', level: '', status: '', request: requestId })}
          />
        ),
    },
  ]
}

function What({ entry: { message, request, fields } }: { readonly entry: ListedLogEntry }): JSX.Element {
  return (
    <span className="flex min-w-0 flex-col gap-1">
      {request ? (
        <span>
          <code className="font-mono text-mono">
            {request.method} {request.path}
          </code>{' '}
          <span className={request.status >= 500 ? 'font-medium text-danger' : 'font-medium'}>{request.status}</span>
          <span className="text-muted">
            {' '}
            {request.ms} ms{request.code === undefined ? '' : ` · ${request.code}`} · {request.address}
          </span>
        </span>
      ) : null}
      {message === '' ? null : <span className="whitespace-pre-wrap">{message}</span>}
      {fields ? (
        <span className="text-small text-muted">
          {Object.entries(fields)
            .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
            .join(' · ')}
        </span>
      ) : null}
    </span>
  )
}

function Narrower({
  label,
  title = `Only ${label}`,
  onPress,
}: {
  readonly label: string
  readonly title?: string
  readonly onPress: () => void
}): JSX.Element {
  return (
    <button type="button" className="text-left text-accent hover:underline" title={title} onClick={onPress}>
      {label}
    </button>
  )
}

function shortId(id: string): string {
  return id.length > 12 ? `${id.slice(0, 8)}…` : id
}
