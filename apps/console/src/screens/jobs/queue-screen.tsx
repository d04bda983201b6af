import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import type { QueueMessage } from '@holdfast/protocol'
import { Button, ConfirmDialog, NoRows, Notice, Page } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { formatBytes, formatCount, formatTime } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { useChange } from '../../lib/use-change.ts'
import { REFRESH_MS } from './use-jobs.ts'

const queueRoute = getRouteApi('/jobs/queues/$name')

interface MessagePage {
  readonly messages: readonly QueueMessage[]
  readonly next?: string
}

/** Messages of a queue. Looking at them does not hide them from consumers. */
export function QueueScreen(): JSX.Element {
  const { name } = queueRoute.useParams()
  const mayRead = useHasRole('developer')
  return (
    <Page
      title={name}
      description={
        <>
          <Link to="/jobs" search={{ tab: 'queues' }} className="text-accent underline">
            All queues
          </Link>
          . Oldest first. Looking at messages does not hide them from consumers.
        </>
      }
    >
      {mayRead ? (
        <Messages name={name} />
      ) : (
        <Notice title="Viewers do not see messages">An owner can give you the role developer.</Notice>
      )}
    </Page>
  )
}

function Messages({ name }: { readonly name: string }): JSX.Element {
  const path = `/queues/${encodeURIComponent(name)}/messages`
  const list = useInfiniteQuery({
    queryKey: ['queue', name],
    queryFn: ({ pageParam, signal }) => request<MessagePage>(`GET ${path}${queryOf({ after: pageParam })}`, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: REFRESH_MS,
  })
  return (
    <QueryState query={list} rows={8}>
      {({ pages }) => {
        const messages = pages.flatMap((page) => page.messages)
        return messages.length === 0 ? (
          <NoRows>The queue is empty</NoRows>
        ) : (
          <div className="flex flex-col gap-3">
            <DataTable label="Messages" columns={COLUMNS} rows={messages} keyOf={({ id }) => id} />
            <ShowMore list={list} />
          </div>
        )
      }}
    </QueryState>
  )
}

const COLUMNS: readonly TableColumn<QueueMessage>[] = [
  { id: 'id', label: 'Id', isNumber: true, cell: ({ id }) => id },
  {
    id: 'message',
    label: 'Message',
    cell: ({ message, bytes }) => (
      <span className="block">
        <code className="block max-h-32 overflow-hidden font-mono text-mono whitespace-pre-wrap">{message}</code>
        {message.length < bytes / 4 ? <span className="text-small text-muted">of {formatBytes(bytes)}</span> : null}
      </span>
    ),
  },
  { id: 'reads', label: 'Reads', isNumber: true, cell: ({ reads }) => formatCount(reads) },
  { id: 'enqueued', label: 'Queued', cell: ({ enqueuedAt }) => <TimeAgo at={enqueuedAt} /> },
  {
    id: 'visible',
    label: 'Readable',
    cell: ({ visibleAt }) => (Date.parse(visibleAt) <= Date.now() ? 'now' : `from ${formatTime(visibleAt)}`),
  },
  { id: 'actions', label: 'Actions', cell: ({ id }) => <Actions id={id} /> },
]

function Actions({ id }: { readonly id: string }): JSX.Element {
  const { name } = queueRoute.useParams()
  const path = `/queues/${encodeURIComponent(name)}/messages/${id}`
  const [isAsking, setAsking] = useState(false)
  const concerned = [['queue', name], ['queues']]
  const archive = useChange('The message was archived.', concerned)
  const remove = useChange('The message was deleted.', concerned)
  return (
    <span className="flex gap-2">
      <Button
        size="sm"
        isPending={archive.isPending}
        onPress={() => archive.mutate({ target: `POST ${path}/archive` })}
      >
        Archive
      </Button>
      <Button size="sm" tone="danger" onPress={() => setAsking(true)}>
        Delete…
      </Button>
      {isAsking ? (
        <ConfirmDialog
          title={`Delete message ${id}?`}
          isOpen
          onClose={() => setAsking(false)}
          confirmLabel="Delete"
          isDanger
          isPending={remove.isPending}
          onConfirm={() => remove.mutate({ target: `DELETE ${path}` }, { onSettled: () => setAsking(false) })}
        >
          No consumer gets it. An archived message stays in pgmq.a_{name}; a deleted one is gone.
        </ConfirmDialog>
      ) : null}
    </span>
  )
}
