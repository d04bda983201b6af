import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { JSX } from 'react'
import type { Setting, SettingList, SettingOrigin } from '@holdfast/protocol'
import { Chip, NoRows, SearchField, Section, Select } from '@holdfast/workspace'
import { CodeText } from '../../components/code-text.tsx'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { request } from '../../lib/api.ts'
import { filterSettings, LIMITS, type SettingFilter } from './filter-settings.ts'

const settingsRoute = getRouteApi('/settings')

/** The choice that does not narrow the list. */
const ALL = 'all'

/** Every option of the server: its value in force, and where it was set. */
export function Options(): JSX.Element {
  const filter = settingsRoute.useSearch()
  const navigate = useNavigate({ from: '/settings' })
  const list = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => request<SettingList>('GET /settings', { signal }),
  })
  const narrow = (change: SettingFilter): void => void navigate({ search: { ...filter, ...change }, replace: true })
  return (
    <QueryState query={list} rows={10}>
      {({ settings, configFile }) => {
        const shown = filterSettings(settings, filter)
        const groups = [...new Set(settings.map(({ group }) => group))]
        return (
          <div className="flex flex-col gap-6">
            <p className="max-w-[72ch] text-muted">
              The command line wins, then the environment, then {configFile}, then config.toml of the project. A change
              takes effect at the next start.
            </p>
            <Filters filter={filter} groups={groups} onChange={narrow} />
            {shown.length === 0 ? <NoRows>No options match</NoRows> : null}
            {groups.map((group) => {
              const rows = shown.filter((one) => one.group === group)
              return rows.length === 0 ? null : (
                <Section key={group} title={group}>
                  <DataTable label={group} columns={COLUMNS} rows={rows} keyOf={({ name }) => name} />
                </Section>
              )
            })}
          </div>
        )
      }}
    </QueryState>
  )
}

function Filters({
  filter: { search = '', group = '', origin = '' },
  groups,
  onChange,
}: {
  readonly filter: SettingFilter
  readonly groups: readonly string[]
  readonly onChange: (change: SettingFilter) => void
}): JSX.Element {
  const options = [
    { value: ALL, label: 'All parts' },
    { value: LIMITS, label: 'Limits and times' },
    ...groups.map((name) => ({ value: name, label: name })),
  ]
  return (
    <div className="flex flex-wrap gap-2">
      <SearchField
        label="Search options"
        value={search}
        onChange={(value) => onChange({ search: value })}
        className="min-w-60 flex-1"
      />
      <Select
        label="Part"
        isLabelHidden
        options={options}
        value={group === '' ? ALL : group}
        onChange={(value) => onChange({ group: value === ALL ? '' : value })}
        className="w-44"
      />
      <Select
        label="Set by"
        isLabelHidden
        options={[
          { value: ALL, label: 'Set anywhere' },
          { value: 'set', label: 'Not the default' },
          ...ORIGINS.map(([value, label]) => ({ value, label })),
        ]}
        value={origin === '' ? ALL : origin}
        onChange={(value) => onChange({ origin: value === ALL ? '' : value })}
        className="w-44"
      />
    </div>
  )
}

const ORIGINS: readonly (readonly [kind: SettingOrigin['kind'], label: string])[] = [
  ['flag', 'Command line'],
  ['environment', 'Environment'],
  ['file', 'Config file'],
  ['project', 'Project'],
]

const COLUMNS: readonly TableColumn<Setting>[] = [
  {
    id: 'name',
    label: 'Option',
    cell: ({ name, description, flag, variable }) => (
      <div className="flex max-w-[64ch] flex-col gap-0.5">
        <span className="font-mono text-mono font-medium">{name}</span>
        <span className="text-muted">
          <CodeText>{description}</CodeText>
        </span>
        <span className="font-mono text-small text-subtle">{flag === null ? variable : `${flag} · ${variable}`}</span>
      </div>
    ),
  },
  { id: 'value', label: 'Value', cell: (setting) => <Value setting={setting} /> },
  { id: 'origin', label: 'Set by', cell: ({ origin }) => <Origin origin={origin} /> },
]

function Value({ setting }: { readonly setting: Setting }): JSX.Element {
  const { kind, value, isHidden, origin, default: fallback } = setting
  return (
    <div className="flex max-w-[40ch] min-w-24 flex-col gap-0.5">
      {isHidden ? (
        <span>
          <Chip colour="slate">set, not shown</Chip>
        </span>
      ) : (
        <span className={value === null ? 'text-subtle' : 'font-mono text-mono'}>{textOf(kind, value)}</span>
      )}
      {origin === null || fallback === value ? null : (
        <span className="text-small text-muted">Default: {textOf(kind, fallback)}</span>
      )}
    </div>
  )
}

function textOf(kind: Setting['kind'], value: string | null): string {
  if (value === null) return kind === 'list' || kind === 'json' ? 'empty' : 'none'
  if (kind === 'switch') return value === 'true' ? 'on' : 'off'
  return kind === 'list' ? value.replaceAll(',', ', ') : value
}

function Origin({ origin }: { readonly origin: SettingOrigin | null }): JSX.Element {
  if (origin === null) return <span className="text-subtle">default</span>
  const { kind, where } = origin
  return (
    <div className="flex max-w-[32ch] flex-col gap-0.5">
      <span>{ORIGINS.find(([known]) => known === kind)?.[1] ?? 'Program'}</span>
      <span className="font-mono text-small text-muted">{where}</span>
    </div>
  )
}
