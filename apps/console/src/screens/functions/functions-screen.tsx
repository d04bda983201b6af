import { Link } from '@tanstack/react-router'
import { Zap } from 'lucide-react'
import type { JSX } from 'react'
import type { FunctionList, ListedFunction } from '@holdfast/protocol'
import { EmptyState, NoRows, Notice, Page, Section } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { formatCount, formatMs } from '../../lib/format.ts'
import { FunctionState } from './function-state.tsx'
import { useFunctions } from './use-functions.ts'

/** Edge functions of the project, with their calls of the last hour. */
export function FunctionsScreen(): JSX.Element {
  const list = useFunctions()
  return (
    <Page title="Functions" description="Edge functions of the project, with the calls of the last hour.">
      <QueryState query={list} rows={8}>
        {(data) => (data.isOn ? <Functions list={data} /> : <Off />)}
      </QueryState>
    </Page>
  )
}

function Off(): JSX.Element {
  return (
    <EmptyState icon={<Zap size={32} aria-hidden />} title="Functions are off">
      The server was started with --no-functions-enabled.
    </EmptyState>
  )
}

function Functions({ list: { functions, secrets, loadedAt, problem } }: { readonly list: FunctionList }): JSX.Element {
  return (
    <div className="flex flex-col gap-8">
      {problem === undefined ? null : (
        <Notice tone="danger" title="Functions are not served">
          {problem}
        </Notice>
      )}
      {functions.length > 0 ? (
        <div className="flex flex-col gap-2">
          <DataTable label="Functions" columns={COLUMNS} rows={functions} keyOf={({ name }) => name} />
          <p className="text-small text-muted">
            Files read <TimeAgo at={loadedAt} />. A changed file is loaded within a second.
          </p>
        </div>
      ) : problem === undefined ? (
        <EmptyState icon={<Zap size={32} aria-hidden />} title="No functions yet">
          Create one with <code className="font-mono text-mono">holdfast functions new NAME</code>.
        </EmptyState>
      ) : null}
      <Section
        title="Secrets"
        description="Names from config.toml and the secrets file. The console never shows values. Functions also get SUPABASE_URL, the keys and SUPABASE_DB_URL."
      >
        {secrets.length === 0 ? (
          <NoRows>No secrets</NoRows>
        ) : (
          <ul aria-label="Secrets" className="flex flex-wrap gap-2">
            {secrets.map((name) => (
              <li key={name} className="rounded-md bg-sunken px-2 py-1 font-mono text-mono">
                {name}
              </li>
            ))}
          </ul>
        )}
      </Section>
    </div>
  )
}

const COLUMNS: readonly TableColumn<ListedFunction>[] = [
  {
    id: 'name',
    label: 'Function',
    cell: ({ name }) => (
      <Link to="/functions/$name" params={{ name }} className="font-medium text-accent hover:underline">
        {name}
      </Link>
    ),
  },
  {
    id: 'state',
    label: 'State',
    cell: ({ state, reason }) => (
      <span className="flex flex-col items-start gap-1">
        <FunctionState state={state} />
        {reason === undefined ? null : <span className="text-small text-muted">{reason}</span>}
      </span>
    ),
  },
  { id: 'jwt', label: 'Verifies token', cell: ({ verifyJwt }) => (verifyJwt ? 'yes' : 'no') },
  { id: 'changed', label: 'Changed', cell: ({ changedAt }) => <TimeAgo at={changedAt} missing="–" /> },
  { id: 'calls', label: 'Calls', isNumber: true, cell: ({ lastHour }) => formatCount(lastHour.calls) },
  {
    id: 'errors',
    label: 'Errors',
    isNumber: true,
    cell: ({ lastHour: { errors } }) =>
      errors === 0 ? '0' : <span className="font-medium text-danger">{formatCount(errors)}</span>,
  },
  { id: 'p50', label: 'p50', isNumber: true, cell: ({ lastHour }) => formatMs(lastHour.p50Ms) },
  { id: 'p95', label: 'p95', isNumber: true, cell: ({ lastHour }) => formatMs(lastHour.p95Ms) },
]
