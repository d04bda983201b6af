import { getRouteApi, Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import type { FunctionCalls, FunctionList, ListedFunction } from '@holdfast/protocol'
import { EmptyState, Notice, Page, Section } from '@holdfast/workspace'
import { DataTable } from '../../components/data-table.tsx'
import { Facts } from '../../components/facts.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { formatBytes, formatCount, formatMs } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { CallFunction } from './call-function.tsx'
import { FunctionLog } from './function-log.tsx'
import { FunctionState } from './function-state.tsx'
import { useFunctions } from './use-functions.ts'

const functionRoute = getRouteApi('/functions/$name')

/** One function: how it does, a call, and what it prints. */
export function FunctionScreen(): JSX.Element {
  const { name } = functionRoute.useParams()
  const list = useFunctions()
  return (
    <Page
      title={name}
      description={
        <Link to="/functions" className="text-accent hover:underline">
          All functions
        </Link>
      }
    >
      <QueryState query={list} rows={8}>
        {(data) => <Found list={data} name={name} />}
      </QueryState>
    </Page>
  )
}

function Found({ list, name }: { readonly list: FunctionList; readonly name: string }): JSX.Element {
  const mayRead = useHasRole('developer')
  const found = list.functions.find((one) => one.name === name)
  if (!found)
    return <EmptyState title="There is no such function">It may have been renamed or switched off.</EmptyState>
  return (
    <div className="flex flex-col gap-8">
      {found.reason === undefined ? null : (
        <Notice tone="danger" title="This function is not served">
          {found.reason}
        </Notice>
      )}
      <FunctionFacts found={found} />
      <Section
        title="Calls"
        description="Errors are responses of 500 and above. Times are from request to end of response."
      >
        <DataTable
          label="Calls"
          rows={[
            { period: 'Last hour', ...found.lastHour },
            { period: 'Since start', ...found.sinceStart },
          ]}
          keyOf={({ period }) => period}
          columns={CALLS}
        />
      </Section>
      {mayRead ? (
        <>
          <CallFunction name={name} />
          <FunctionLog name={name} />
        </>
      ) : (
        <Notice title="Viewers neither call functions nor read their logs">
          An owner can give you the role developer.
        </Notice>
      )}
    </div>
  )
}

function FunctionFacts({ found }: { readonly found: ListedFunction }): JSX.Element {
  const { state, entry, verifyJwt, isOneshot, changedAt, processes, openRequests, memoryBytes, sinceStart } = found
  const facts: readonly (readonly [string, JSX.Element | string])[] = [
    ['State', <FunctionState key="state" state={state} />],
    ['Entry module', entry || '–'],
    ['Changed', <TimeAgo key="changed" at={changedAt} missing="–" />],
    ['Verifies token', verifyJwt ? 'yes: callers need a key or a user’s token' : 'no: anyone may call it'],
    ['Processes', `${formatCount(processes)}${isOneshot ? ', one for each request' : ''}`],
    ['Open requests', formatCount(openRequests)],
    ['Memory', formatBytes(memoryBytes)],
    ['Cold starts', `${formatCount(sinceStart.coldStarts)}, median ${formatMs(sinceStart.coldStartMs)}`],
  ]
  return <Facts facts={facts} />
}

const CALLS = [
  { id: 'period', label: 'Period', cell: ({ period }: { readonly period: string }) => period },
  { id: 'calls', label: 'Calls', isNumber: true, cell: ({ calls }: FunctionCalls) => formatCount(calls) },
  { id: 'errors', label: 'Errors', isNumber: true, cell: ({ errors }: FunctionCalls) => formatCount(errors) },
  { id: 'p50', label: 'p50', isNumber: true, cell: ({ p50Ms }: FunctionCalls) => formatMs(p50Ms) },
  { id: 'p95', label: 'p95', isNumber: true, cell: ({ p95Ms }: FunctionCalls) => formatMs(p95Ms) },
]
