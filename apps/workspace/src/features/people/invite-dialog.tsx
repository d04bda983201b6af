import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { TextField } from '../../components/text-field.tsx'
import { showToast } from '../../components/toast.tsx'
import { inviteMessages as words, peopleMessages } from '../../messages/people.ts'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { AccessUntilField, RoleSelect } from './role-fields.tsx'
import { endOfDay, isAtMost, isPast, type Role } from './roles.ts'
import { NO_TEAM, TeamSelect } from './team-select.tsx'
import { useCall } from '../../hooks/use-call.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import type { People } from './use-people.ts'

/** The server's limit of addresses per call. */
const ADDRESSES_MAX = 50
const MESSAGE_CHARS_MAX = 500

interface Outcome {
  readonly email: string
  readonly outcome: keyof typeof words.outcomes
}

/** Asks whom to invite in which role, and reports the result per address. */
export function InviteDialog({
  people,
  role: most,
  onClose,
}: {
  readonly people: People
  /** The user's own role. */
  readonly role: Role
  readonly onClose: () => void
}): JSX.Element {
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>()
  const { hasMail } = useBackend().config
  const finish = (found: readonly Outcome[]): void => {
    const invited = found.filter(({ outcome }) => outcome === 'invited').length
    if (invited > 0) showToast({ text: hasMail ? words.sent(invited) : words.notSent(invited) })
    if (invited === found.length) onClose()
    else setOutcomes(found)
  }
  return outcomes ? (
    <Results people={people} outcomes={outcomes} onClose={onClose} />
  ) : (
    <InviteForm people={people} most={most} onSent={finish} onClose={onClose} />
  )
}

interface Draft {
  readonly typed: string
  readonly role: Role
  readonly team: string
  readonly message: string
  /** Last day of a guest's access; empty for none. */
  readonly day: string
}

interface Problem {
  readonly field: 'emails' | 'until'
  readonly text: string
}

function addressesOf({ typed }: Draft): readonly string[] {
  return typed.split(/[\s,;]+/).filter((part) => part !== '')
}

function untilOf({ role, day }: Draft): Date | undefined {
  return role === 'guest' ? endOfDay(day) : undefined
}

/** Returns the first invalid field. */
function problemOf(draft: Draft): Problem | undefined {
  const { length } = addressesOf(draft)
  const until = untilOf(draft)
  if (length === 0) return { field: 'emails', text: words.missing }
  if (length > ADDRESSES_MAX) return { field: 'emails', text: words.tooMany }
  return isPast(until) ? { field: 'until', text: peopleMessages.dayOver } : undefined
}

function InviteForm({
  people: { workspace, teams },
  most,
  onSent,
  onClose,
}: {
  readonly people: People
  readonly most: Role
  readonly onSent: (outcomes: readonly Outcome[]) => void
  readonly onClose: () => void
}): JSX.Element {
  const [draft, setDraft] = useState<Draft>({
    typed: '',
    role: isAtMost('editor', most) ? 'editor' : most,
    team: NO_TEAM,
    message: '',
    day: '',
  })
  const [problem, setProblem] = useState<Problem>()
  const { hasMail } = useBackend().config
  const call = useCall()
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }))
  const send = async (): Promise<void> => {
    const found = problemOf(draft)
    setProblem(found)
    if (found) return
    const done = await call.run<readonly Outcome[]>('invite', argumentsOf(workspace.id, draft))
    if (done) onSent(done.result)
  }
  const textOf = (field: Problem['field']): string | undefined => (problem?.field === field ? problem.text : undefined)
  return (
    <FormDialog
      title={words.title(workspace.name)}
      submitLabel={words.send}
      isPending={call.isPending}
      onSubmit={send}
      onClose={onClose}
    >
      {hasMail ? null : (
        <Notice tone="warning" title={words.noMail}>
          {words.noMailDetail}
        </Notice>
      )}
      <TextField
        label={words.emails}
        description={words.emailsHelp}
        name="emails"
        inputMode="email"
        autoComplete="off"
        spellCheck={false}
        autoFocus
        rows={2}
        value={draft.typed}
        onChange={(typed) => change({ typed })}
        errorMessage={textOf('emails')}
      />
      <RoleSelect most={most} role={draft.role} onChange={(role) => change({ role })} />
      {draft.role === 'guest' ? (
        <AccessUntilField day={draft.day} onChange={(day) => change({ day })} problem={textOf('until')} />
      ) : (
        <TeamSelect teams={teams} team={draft.team} onChange={(team) => change({ team })} />
      )}
      <TextField
        label={words.message}
        description={words.messageHelp}
        name="message"
        rows={3}
        maxLength={MESSAGE_CHARS_MAX}
        value={draft.message}
        onChange={(message) => change({ message })}
      />
      <CallFailureText failure={call.failure} />
    </FormDialog>
  )
}

/** Returns the arguments of `holdfast.invite`. */
function argumentsOf(workspace: string, draft: Draft): object {
  const { role, team, message } = draft
  return {
    workspace,
    emails: addressesOf(draft),
    as_role: role,
    team: role === 'guest' || team === NO_TEAM ? null : team,
    message: message.trim() === '' ? null : message,
    access_until: untilOf(draft)?.toISOString() ?? null,
  }
}

/** Shown if some addresses were not invited. */
function Results({
  people,
  outcomes,
  onClose,
}: {
  readonly people: People
  readonly outcomes: readonly Outcome[]
  readonly onClose: () => void
}): JSX.Element {
  return (
    <Dialog
      title={words.title(people.workspace.name)}
      isOpen
      onClose={onClose}
      actions={
        <Button tone="primary" autoFocus onPress={onClose}>
          {words.close}
        </Button>
      }
    >
      <ul aria-label={words.results} className="flex flex-col gap-2">
        {outcomes.map(({ email, outcome }) => (
          <li key={email} className="flex flex-col">
            <span className="font-medium [overflow-wrap:anywhere]">{email}</span>
            <span className={outcome === 'invited' ? 'text-small text-success' : 'text-small text-warning'}>
              {words.outcomes[outcome]}
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
