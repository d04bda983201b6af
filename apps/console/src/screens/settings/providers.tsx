import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Copy } from 'lucide-react'
import type { JSX } from 'react'
import type { ListedProvider, ProviderList } from '@holdfast/protocol'
import { Chip, copyText, IconButton } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { request } from '../../lib/api.ts'

/** External providers: which work, what the others lack, and the URL to register at each. */
export function Providers(): JSX.Element {
  const list = useQuery({
    queryKey: ['settings', 'providers'],
    queryFn: ({ signal }) => request<ProviderList>('GET /settings/providers', { signal }),
  })
  return (
    <QueryState query={list} rows={7}>
      {({ providers }) => (
        <div className="flex flex-col gap-4">
          <p className="max-w-[72ch] text-muted">
            Register the callback URL at the provider, then set its app id and secret as options of the server, and
            start it again. Providers named custom:… are set through the admin API.
          </p>
          <DataTable label="Providers" columns={COLUMNS} rows={providers} keyOf={({ name }) => name} />
        </div>
      )}
    </QueryState>
  )
}

const COLUMNS: readonly TableColumn<ListedProvider>[] = [
  { id: 'name', label: 'Provider', cell: ({ name }) => <span className="font-medium">{name}</span> },
  { id: 'state', label: 'State', cell: (provider) => <State provider={provider} /> },
  {
    id: 'callback',
    label: 'Callback URL',
    cell: ({ name, callbackUrl }) => (
      <span className="flex items-center gap-1">
        <code className="font-mono text-mono">{callbackUrl}</code>
        <IconButton
          size="sm"
          label={`Copy the callback URL of ${name}`}
          icon={<Copy size={14} aria-hidden />}
          onPress={() => void copyText(callbackUrl, 'Copied')}
        />
      </span>
    ),
  },
  {
    id: 'options',
    label: 'Set by',
    cell: ({ name, optionPrefix }) =>
      optionPrefix === null ? (
        <span className="text-muted">Admin API</span>
      ) : (
        <Link
          to="/settings"
          search={{ tab: 'options', search: optionPrefix }}
          aria-label={`Options of ${name}`}
          className="text-accent hover:underline"
        >
          Options
        </Link>
      ),
  },
]

function State({ provider: { isEnabled, missing } }: { readonly provider: ListedProvider }): JSX.Element {
  if (!isEnabled) return <Chip colour="slate">off</Chip>
  if (missing.length === 0) return <Chip colour="green">on</Chip>
  return (
    <span className="flex flex-col items-start gap-1">
      <Chip colour="coral">incomplete</Chip>
      <span className="text-small text-muted">
        Not set: <code className="font-mono">{missing.join(', ')}</code>
      </span>
    </span>
  )
}
