import { useQuery } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import type { ListedMailTemplate, MailPreview, MailTemplateList } from '@holdfast/protocol'
import { Button, Chip, Dialog, Tabs } from '@holdfast/workspace'
import { DataTable, type TableColumn } from '../../components/data-table.tsx'
import { QueryState } from '../../components/query-state.tsx'
import { TextBlock } from '../../components/text-block.tsx'
import { API, request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'

/** Mails of the server: subject and body in force, where they come from, and what they look like. */
export function MailTemplates(): JSX.Element {
  const [shown, setShown] = useState<ListedMailTemplate>()
  const list = useQuery({
    queryKey: ['settings', 'mails'],
    queryFn: ({ signal }) => request<MailTemplateList>('GET /settings/mails', { signal }),
  })
  return (
    <QueryState query={list} rows={8}>
      {({ templates }) => (
        <div className="flex flex-col gap-4">
          <p className="max-w-[72ch] text-muted">
            To replace a subject or body, set the named option. A body is an HTML file, which the server reads when it
            starts.
          </p>
          <DataTable label="Mails" columns={columnsOf(setShown)} rows={templates} keyOf={({ kind }) => kind} />
          {shown ? <MailDialog template={shown} onClose={() => setShown(undefined)} /> : null}
        </div>
      )}
    </QueryState>
  )
}

/** Names kinds as people do. Another name of the server is shown as it is. */
const TITLES: Readonly<Record<string, string>> = {
  confirmation: 'Confirm an address',
  recovery: 'Reset a password',
  magic_link: 'Sign-in link',
  invite: 'Invite a user',
  email_change: 'Change of address',
  reauthentication: 'Reauthentication code',
  workspace_invitation: 'Invite to a workspace',
  password_changed_notification: 'Password changed',
  email_changed_notification: 'Address changed',
  phone_changed_notification: 'Phone changed',
  identity_linked_notification: 'Sign-in method linked',
  identity_unlinked_notification: 'Sign-in method removed',
  mfa_factor_enrolled_notification: 'Second factor added',
  mfa_factor_unenrolled_notification: 'Second factor removed',
}

const titleOf = (kind: string): string => TITLES[kind] ?? kind

function columnsOf(onShow: (template: ListedMailTemplate) => void): readonly TableColumn<ListedMailTemplate>[] {
  return [
    {
      id: 'kind',
      label: 'Mail',
      cell: ({ kind, isEnabled }) => (
        <span className="flex flex-col items-start gap-1">
          <span className="font-medium">{titleOf(kind)}</span>
          {isEnabled ? null : <Chip colour="slate">not sent</Chip>}
        </span>
      ),
    },
    {
      id: 'subject',
      label: 'Subject',
      cell: ({ subject, subjectOption, hasOwnSubject }) => (
        <Part origin={hasOwnSubject ? subjectOption : undefined} option={subjectOption}>
          {subject}
        </Part>
      ),
    },
    {
      id: 'body',
      label: 'Body',
      cell: ({ file, contentOption }) => (
        <Part origin={file === null ? undefined : contentOption} option={contentOption}>
          {file ?? 'Built in'}
        </Part>
      ),
    },
    {
      id: 'show',
      label: 'Preview',
      cell: (template) => (
        <Button size="sm" aria-label={`Preview: ${titleOf(template.kind)}`} onPress={() => onShow(template)}>
          Preview
        </Button>
      ),
    },
  ]
}

/** A part of a mail, and the option that sets it. */
function Part({
  origin,
  option,
  children,
}: {
  readonly origin: string | undefined
  readonly option: string
  readonly children: string
}): JSX.Element {
  return (
    <span className="flex flex-col gap-0.5">
      <span>{children}</span>
      <span className="text-small text-muted">
        {origin === undefined ? 'Default. Option ' : 'Set by '}
        <code className="font-mono">{option}</code>
      </span>
    </span>
  )
}

const VIEWS = ['mail', 'text', 'source'] as const

/** A mail with sample values: as HTML in a frame without scripts, as text, and the source of its HTML. */
function MailDialog({
  template: { kind },
  onClose,
}: {
  readonly template: ListedMailTemplate
  readonly onClose: () => void
}): JSX.Element {
  const [view, setView] = useState<(typeof VIEWS)[number]>('mail')
  const mail = useQuery({
    queryKey: ['settings', 'mails', kind],
    queryFn: ({ signal }) => request<MailPreview>(`GET /settings/mails/${encodeURIComponent(kind)}`, { signal }),
  })
  return (
    <Dialog title={titleOf(kind)} isOpen onClose={onClose} size="lg" actions={<Button onPress={onClose}>Close</Button>}>
      <QueryState query={mail} rows={8}>
        {({ subject, text, source, isCut }) => (
          <div className="flex flex-col gap-3">
            <p>
              <span className="text-muted">Subject: </span>
              {subject}
            </p>
            <Tabs<(typeof VIEWS)[number]>
              label="Views of the mail"
              selected={view}
              onSelect={setView}
              tabs={[
                {
                  id: 'mail',
                  label: 'Mail',
                  content: (
                    <iframe
                      title="Mail with sample values"
                      src={`${API}/settings/mails/${encodeURIComponent(kind)}/page`}
                      sandbox=""
                      className="h-120 w-full rounded-md border border-border bg-white"
                    />
                  ),
                },
                {
                  id: 'text',
                  label: 'Text',
                  content: (
                    <TextBlock label="Text of the mail" isProse className="max-h-120">
                      {text}
                    </TextBlock>
                  ),
                },
                {
                  id: 'source',
                  label: 'HTML source',
                  content: (
                    <>
                      <TextBlock label="HTML source" className="max-h-120">
                        {source}
                      </TextBlock>
                      {isCut ? (
                        <p className="pt-2 text-small text-muted">
                          The first {formatCount(source.length)} characters. Open the file for the rest.
                        </p>
                      ) : null}
                    </>
                  ),
                },
              ]}
            />
          </div>
        )}
      </QueryState>
    </Dialog>
  )
}
