import { useMutation } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import type { StoredMessage } from '@holdfast/protocol'
import { Button, NoRows, Section, Select } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { FormError } from '../../components/form-error.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { UserField } from '../../components/user-field.tsx'
import { request } from '../../lib/api.ts'
import { formatBytes } from '../../lib/format.ts'

const READERS = [
  { value: 'user', label: 'A user' },
  { value: 'anon', label: 'A visitor (anon)' },
  { value: 'postgres', label: 'The project (postgres)' },
]

/** The stored messages of a private topic, as far as policies show them to the chosen reader. */
export function TopicMessages({ topic }: { readonly topic: string }): JSX.Element {
  const [reader, setReader] = useState('user')
  const [user, setUser] = useState('')
  const read = useMutation({
    mutationFn: () =>
      request<{ messages: readonly StoredMessage[] }>('POST /realtime/messages', {
        body: { topic, as: reader === 'user' ? { kind: 'user', id: user.trim() } : { kind: reader } },
      }),
  })
  const messages = read.data?.messages
  return (
    <Section
      title="Stored messages"
      description="The newest 100 messages that the database sent to this topic, as far as the policies on realtime.messages show them to the reader. Messages between clients are not stored."
    >
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          read.mutate()
        }}
      >
        <Select label="As" options={READERS} value={reader} onChange={setReader} className="w-48" />
        {reader === 'user' ? <UserField value={user} onChange={setUser} className="min-w-48 flex-1" /> : null}
        <Button type="submit" isPending={read.isPending} isDisabled={reader === 'user' && user.trim() === ''}>
          Read
        </Button>
      </form>
      <FormError error={read.error} />
      {messages === undefined ? null : messages.length === 0 ? (
        <NoRows>No stored message of this topic is visible to this reader</NoRows>
      ) : (
        <DataTable label="Messages" columns={COLUMNS} rows={messages} keyOf={({ id }) => id} />
      )}
    </Section>
  )
}

const COLUMNS: readonly TableColumn<StoredMessage>[] = [
  { id: 'at', label: 'Sent', cell: ({ at }) => <TimeAgo at={at} /> },
  { id: 'event', label: 'Event', cell: ({ event }) => event ?? '–' },
  {
    id: 'payload',
    label: 'Payload',
    cell: ({ payload }) =>
      payload === null ? (
        <span className="text-muted">binary</span>
      ) : (
        <code className="block max-h-32 overflow-hidden font-mono text-mono whitespace-pre-wrap">{payload}</code>
      ),
  },
  {
    id: 'bytes',
    label: 'Size',
    isNumber: true,
    cell: ({ bytes }) => <span className="whitespace-nowrap">{formatBytes(bytes)}</span>,
  },
]
