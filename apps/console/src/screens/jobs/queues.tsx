import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Layers } from 'lucide-react'
import type { JSX } from 'react'
import { type ListedQueue, QUEUE_COUNT_MAX } from '@holdfast/protocol'
import { EmptyState } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { REFRESH_MS } from './use-jobs.ts'

/** Queues of pgmq, with what is in them. */
export function Queues(): JSX.Element {
  const list = useQuery({
    queryKey: ['queues'],
    queryFn: ({ signal }) => request<{ readonly queues: readonly ListedQueue[] }>('GET /queues', { signal }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <QueryState query={list} rows={6}>
      {({ queues }) =>
        queues.length === 0 ? (
          <EmptyState icon={<Layers size={32} aria-hidden />} title="No queues">
            Create one in SQL with <code className="font-mono text-mono">pgmq.create</code>, after{' '}
            <code className="font-mono text-mono">create extension pgmq</code>.
          </EmptyState>
        ) : (
          <DataTable label="Queues" columns={COLUMNS} rows={queues} keyOf={({ name }) => name} />
        )
      }
    </QueryState>
  )
}

const COLUMNS: readonly TableColumn<ListedQueue>[] = [
  { id: 'name', label: 'Queue', cell: ({ name }) => <QueueName name={name} /> },
  { id: 'messages', label: 'Messages', isNumber: true, cell: ({ messages }) => countOf(messages, messages) },
  { id: 'visible', label: 'Readable now', isNumber: true, cell: ({ visible, messages }) => countOf(visible, messages) },
  { id: 'oldest', label: 'Oldest message', cell: ({ oldestAt }) => <TimeAgo at={oldestAt} missing="–" /> },
  { id: 'created', label: 'Created', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
]

function QueueName({ name }: { readonly name: string }): JSX.Element {
  return useHasRole('developer') ? (
    <Link to="/jobs/queues/$name" params={{ name }} className="font-medium text-accent hover:underline">
      {name}
    </Link>
  ) : (
    <>{name}</>
  )
}

/** Marks counts of a queue that was not counted to its end. */
function countOf(count: number, counted: number): string {
  return counted === QUEUE_COUNT_MAX ? `${formatCount(count)}+` : formatCount(count)
}
