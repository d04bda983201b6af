import type { JSX } from 'react'
import { LOG_SERVICES } from '@holdfast/protocol'
import { Button, SearchField, Select, Switch } from '@holdfast/workspace'
import { useHasRole } from '../../lib/session.ts'
import type { LogFilter } from './use-logs.ts'

/** The choice that does not narrow the list. */
const ALL = 'all'

const SERVICE_NAMES: Readonly<Record<string, string>> = {
  app: 'Pages and links',
  auth: 'Auth',
  console: 'Console',
  functions: 'Functions',
  postgres: 'Postgres',
  realtime: 'Realtime',
  rest: 'REST',
  server: 'Server',
  storage: 'Storage',
  sync: 'Sync',
}

export function serviceName(service: string): string {
  return SERVICE_NAMES[service] ?? service
}

interface Choice {
  readonly name: 'service' | 'level' | 'status' | 'hours'
  readonly label: string
  readonly options: readonly (readonly [value: string, label: string])[]
}

const CHOICES: readonly Choice[] = [
  {
    name: 'service',
    label: 'Service',
    options: [[ALL, 'All services'], ...LOG_SERVICES.map((name) => [name, serviceName(name)] as const)],
  },
  {
    name: 'level',
    label: 'Level',
    options: [
      [ALL, 'All levels'],
      ['warn', 'Warnings and errors'],
      ['error', 'Errors'],
    ],
  },
  {
    name: 'status',
    label: 'Status',
    options: [
      [ALL, 'Any status'],
      ['2xx', '2xx succeeded'],
      ['3xx', '3xx redirected'],
      ['4xx', '4xx refused'],
      ['5xx', '5xx failed'],
      ...['400', '401', '403', '404', '409', '422', '429'].map((status) => [status, status] as const),
    ],
  },
  {
    name: 'hours',
    label: 'Time',
    options: [
      [ALL, 'All times'],
      ['1', 'Last hour'],
      ['6', 'Last 6 hours'],
      ['24', 'Last 24 hours'],
      ['72', 'Last 3 days'],
    ],
  },
]

/** Fields that narrow the log. */
export function LogFilters({
  filter,
  isLive,
  onChange,
  onLive,
}: {
  readonly filter: LogFilter
  readonly isLive: boolean
  readonly onChange: (change: LogFilter) => void
  readonly onLive: (isLive: boolean) => void
}): JSX.Element {
  const mayFind = useHasRole('developer')
  const isNarrowed = Object.values(filter).some((value) => value !== undefined && value !== '')
  return (
    <div className="flex flex-wrap items-center gap-2 pb-4">
      <SearchField
        label="Search messages, paths and codes"
        value={filter.text ?? ''}
        onChange={(text) => onChange({ text })}
        className="min-w-60 flex-1"
      />
      <SearchField
        label={mayFind ? 'User: address or id' : 'User: id'}
        value={filter.user ?? ''}
        onChange={(user) => onChange({ user })}
        className="w-56 max-tablet:w-full"
      />
      <SearchField
        label="Request id"
        value={filter.request ?? ''}
        onChange={(request) => onChange({ request })}
        className="w-56 max-tablet:w-full"
      />
      <div className="grid w-full grid-cols-2 gap-2 tablet:flex tablet:flex-wrap tablet:items-center">
        {CHOICES.map(({ name, label, options }) => (
          <Select
            key={name}
            label={label}
            isLabelHidden
            options={options.map(([value, text]) => ({ value, label: text }))}
            value={filter[name] ?? ALL}
            onChange={(value) => onChange({ [name]: value === ALL ? '' : value })}
            className="tablet:w-44"
          />
        ))}
        <Switch isSelected={isLive} onChange={onLive}>
          Live
        </Switch>
        {isNarrowed ? (
          <Button
            size="sm"
            className="justify-self-end"
            onPress={() => onChange({ text: '', user: '', request: '', service: '', level: '', status: '', hours: '' })}
          >
            Show all
          </Button>
        ) : null}
      </div>
    </div>
  )
}
