import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import type { RequestOutcome, WaitingRequest, WebhookList } from '@holdfast/protocol'
import { Button, Chip, NoRows, Notice, Section, Select } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { useChange } from '../../lib/use-change.ts'
import { REFRESH_MS } from './use-jobs.ts'

/** Requests of database webhooks and of pg_net's functions: those that wait, and what became of the others. */
export function Webhooks(): JSX.Element {
  const [state, setState] = useState('all')
  const list = useQuery({
    queryKey: ['webhooks', state],
    queryFn: ({ signal }) =>
      request<WebhookList>(`GET /webhooks${queryOf({ state: state === 'all' ? undefined : state })}`, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
  return (
    <QueryState query={list} rows={6}>
      {({ isOurs, waiting, outcomes, full }) =>
        isOurs ? (
          <div className="flex flex-col gap-8">
            {full.map(({ source, reason }) => (
              <Notice key={source} tone="danger" title={`Requests of ${source} are refused`}>
                {reason}
              </Notice>
            ))}
            <Waiting waiting={waiting} />
            <Section
              title="Outcomes"
              description="The last 100. Postgres keeps no URL and body of a request that has ended, so it cannot be sent again."
              action={
                <Select
                  label="Outcome"
                  isLabelHidden
                  options={[
                    { value: 'all', label: 'All outcomes' },
                    { value: 'failed', label: 'Failed' },
                  ]}
                  value={state}
                  onChange={setState}
                  className="w-40"
                />
              }
            >
              {outcomes.length === 0 ? (
                <NoRows>{state === 'all' ? 'No requests in the last hours' : 'None failed'}</NoRows>
              ) : (
                <DataTable label="Outcomes" columns={OUTCOMES} rows={outcomes} keyOf={({ id }) => id} />
              )}
            </Section>
          </div>
        ) : (
          <Notice title="The extension pg_net sends the requests of this database">
            Read net._http_response under SQL.
          </Notice>
        )
      }
    </QueryState>
  )
}

function Waiting({ waiting }: { readonly waiting: readonly WaitingRequest[] }): JSX.Element {
  const mayAct = useHasRole('developer')
  return (
    <Section title="Waiting" description="Requests that are being sent or will be tried again.">
      {waiting.length === 0 ? (
        <NoRows>Nothing waits</NoRows>
      ) : (
        <DataTable
          label="Waiting"
          columns={mayAct ? [...WAITING, ACTIONS] : WAITING}
          rows={waiting}
          keyOf={({ id }) => id}
        />
      )}
    </Section>
  )
}

const WAITING: readonly TableColumn<WaitingRequest>[] = [
  { id: 'request', label: 'Request', cell: ({ method, url }) => `${method} ${url}` },
  { id: 'source', label: 'From', cell: ({ source }) => source },
  { id: 'attempts', label: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
  { id: 'due', label: 'Next attempt', cell: ({ dueAt }) => formatTime(dueAt) },
  { id: 'error', label: 'Last error', cell: ({ lastError }) => lastError ?? '–' },
]

const ACTIONS: TableColumn<WaitingRequest> = {
  id: 'actions',
  label: 'Actions',
  cell: (waiting) => <Actions waiting={waiting} />,
}

function Actions({ waiting: { id, attempts } }: { readonly waiting: WaitingRequest }): JSX.Element {
  const send = useChange('The request is sent now.', [['webhooks']])
  const cancel = useChange('The request was cancelled.', [['webhooks']])
  return (
    <span className="flex gap-2">
      {attempts > 0 ? (
        <Button
          size="sm"
          isPending={send.isPending}
          onPress={() => send.mutate({ target: `POST /webhooks/${id}/send` })}
        >
          Send now
        </Button>
      ) : null}
      <Button
        size="sm"
        tone="danger"
        isPending={cancel.isPending}
        onPress={() => cancel.mutate({ target: `DELETE /webhooks/${id}` })}
      >
        Cancel
      </Button>
    </span>
  )
}

const OUTCOMES: readonly TableColumn<RequestOutcome>[] = [
  { id: 'id', label: 'Request', cell: ({ id }) => id },
  { id: 'webhook', label: 'Webhook', cell: ({ webhook }) => webhook ?? '–' },
  {
    id: 'status',
    label: 'Result',
    cell: ({ status }) =>
      status === null ? (
        <Chip colour="coral">no response</Chip>
      ) : (
        <Chip colour={status < 400 ? 'green' : 'coral'}>{String(status)}</Chip>
      ),
  },
  { id: 'at', label: 'When', cell: ({ at }) => <TimeAgo at={at} /> },
  {
    id: 'content',
    label: 'Response',
    cell: ({ error, content }) => (
      <span className="block max-h-24 overflow-hidden whitespace-pre-wrap">{error ?? content ?? '–'}</span>
    ),
  },
]
