import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Mail } from 'lucide-react'
import { type JSX, useState } from 'react'
import type { ListedMail, Mailbox } from '@holdfast/protocol'
import { Button, Chip, Dialog, EmptyState, Notice, Select } from '@holdfast/workspace'
import { CopyLink } from '../../components/copy-link.tsx'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { TextBlock } from '../../components/text-block.tsx'
import { queryOf, request } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { useHasRole } from '../../lib/session.ts'
import { REFRESH_MS } from './use-jobs.ts'

const STATES = [
  { value: 'all', label: 'All mails' },
  { value: 'queued', label: 'Queued' },
  { value: 'failed', label: 'Failed' },
]

/** Mails and text messages of the last days. */
export function Mails(): JSX.Element {
  const [state, setState] = useState('all')
  const box = useQuery({
    queryKey: ['mailbox', state],
    queryFn: ({ signal }) =>
      request<Mailbox>(`GET /mailbox${queryOf({ state: state === 'all' ? undefined : state })}`, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
  return (
    <QueryState query={box} rows={6}>
      {({ isCaptured, mails }) => (
        <div className="flex flex-col gap-4">
          {isCaptured ? (
            <Notice title="No mail is sent">
              No mail server is set, so mails are captured here for a week. Reading one is in the audit log.
            </Notice>
          ) : null}
          <Select label="State" isLabelHidden options={STATES} value={state} onChange={setState} className="w-40" />
          {mails.length === 0 ? (
            <EmptyState icon={<Mail size={32} aria-hidden />} title="No mails" />
          ) : (
            <DataTable label="Mails" columns={COLUMNS} rows={mails} keyOf={({ id }) => id} />
          )}
        </div>
      )}
    </QueryState>
  )
}

const COLOURS = { captured: 'blue', queued: 'amber', sent: 'green', failed: 'coral' } as const

const COLUMNS: readonly TableColumn<ListedMail>[] = [
  { id: 'to', label: 'To', cell: ({ recipient }) => recipient },
  { id: 'subject', label: 'Subject', cell: ({ subject, kind }) => subject || kind },
  {
    id: 'state',
    label: 'State',
    cell: ({ status, attempts, lastError, nextAttemptAt }) => (
      <span className="flex flex-col items-start gap-1">
        <Chip colour={COLOURS[status]}>{status}</Chip>
        {lastError === null ? null : (
          <span className="text-small text-muted">
            {lastError} ({attempts} attempts
            {nextAttemptAt === null ? '' : `, next ${formatTime(nextAttemptAt)}`})
          </span>
        )}
      </span>
    ),
  },
  { id: 'at', label: 'Written', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
  { id: 'text', label: 'Text', cell: (mail) => <ReadMail mail={mail} /> },
]

function ReadMail({ mail }: { readonly mail: ListedMail }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const mayRead = useHasRole('developer')
  if (mail.status !== 'captured' || !mayRead) return <>–</>
  return (
    <>
      <Button size="sm" onPress={() => setOpen(true)}>
        Read
      </Button>
      {isOpen ? <MailDialog mail={mail} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

/** A captured mail as text: its HTML may hold what users typed. */
function MailDialog({ mail, onClose }: { readonly mail: ListedMail; readonly onClose: () => void }): JSX.Element {
  const text = useQuery({
    queryKey: ['mailbox', 'text', mail.id],
    queryFn: ({ signal }) =>
      request<{ readonly body: string; readonly link?: string }>(`GET /mailbox/${mail.id}`, { signal }),
    // Each read is in the audit log.
    staleTime: Infinity,
  })
  return (
    <Dialog title={mail.subject || mail.kind} isOpen onClose={onClose} size="lg">
      <QueryState query={text}>
        {({ body, link }) => (
          <div className="flex flex-col gap-4">
            <p className="text-muted">
              To {mail.recipient}, {formatTime(mail.createdAt)}
            </p>
            <TextBlock label="Text of the mail" isProse>
              {body}
            </TextBlock>
            {link === undefined ? null : (
              <CopyLink link={link} label="Link">
                Whoever opens it acts as the recipient.
              </CopyLink>
            )}
          </div>
        )}
      </QueryState>
    </Dialog>
  )
}
