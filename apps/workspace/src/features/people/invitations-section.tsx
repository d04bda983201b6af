import { useRecords } from '@holdfast/react'
import { Mail } from 'lucide-react'
import { type JSX, useRef } from 'react'
import { Chip } from '../../components/chip.tsx'
import { Disclosure } from '../../components/disclosure.tsx'
import { NoRows, Row, Rows, Section } from '../../components/section.tsx'
import { showToast } from '../../components/toast.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { momentOf } from '../../lib/fields/dates.ts'
import { formatMoment } from '../../lib/format.ts'
import { inviteMessages as words, peopleMessages } from '../../messages/people.ts'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { OnlineButton } from './online-button.tsx'
import { isAtMost, isPast, type Role } from './roles.ts'
import { useCall } from '../../hooks/use-call.ts'
import type { People } from './use-people.ts'

/** Limit of answered invitations listed, newest first. */
const ANSWERED_MAX = 20

interface InvitationRow {
  readonly id: string
  readonly email: string
  readonly role: Role
  readonly state: 'pending' | 'accepted' | 'declined' | 'revoked'
  readonly mail: 'waiting' | 'sent' | 'failed' | 'captured'
  readonly expires_at: string
  readonly last_sent_at: string | null
  readonly answered_at: string | null
  readonly inviter: string | null
  readonly team: string | null
}

const SQL = `
  select i.id, i.email, i.role, i.state, i.mail, i.expires_at, i.last_sent_at, i.answered_at, m.name as inviter, t.name as team
    from hf_invitations i
    left join hf_members m on m.workspace_id = i.workspace_id and m.user_id = i.invited_by
    left join hf_teams t on t.id = i.team_id
   where i.workspace_id = ?`

/** Invitations and their results, for admins. */
export function InvitationsSection({ people }: { readonly people: People }): JSX.Element {
  const of = [people.workspace.id]
  const heading = useRef<HTMLHeadingElement>(null)
  const { rows: pending, isLoading } = useRecords<InvitationRow>(
    `${SQL} and i.state = 'pending' order by i.created_at desc, i.email`,
    of,
  )
  const { rows: answered } = useRecords<InvitationRow>(
    `${SQL} and i.state <> 'pending' order by i.answered_at desc limit ${String(ANSWERED_MAX)}`,
    of,
  )
  return (
    <Section title={words.invitations} headingRef={heading} description={words.lead}>
      {pending.length > 0 ? (
        <Rows label={words.invitations}>
          {pending.map((invitation) => (
            <PendingRow
              key={invitation.id}
              people={people}
              invitation={invitation}
              onGone={() => heading.current?.focus()}
            />
          ))}
        </Rows>
      ) : isLoading ? null : (
        <NoRows>{words.none}</NoRows>
      )}
      {answered.length > 0 ? (
        <Disclosure title={words.answered(answered.length)}>
          <ul className="flex flex-col gap-1">
            {answered.map(({ id, email, state, answered_at: at }) => (
              <li key={id} className="text-small">
                {[email, words.states[state], whenOf(at)].filter((part) => part !== '').join(' · ')}
              </li>
            ))}
          </ul>
        </Disclosure>
      ) : null}
    </Section>
  )
}

function PendingRow({
  people,
  invitation,
  onGone,
}: {
  readonly people: People
  readonly invitation: InvitationRow
  readonly onGone: () => void
}): JSX.Element {
  const { id, email, role, team, inviter } = invitation
  const { hasMail } = useBackend().config
  const resend = useCall()
  const revoke = useCall()
  const until = momentOf(invitation.expires_at)
  const isOver = isPast(until)
  const sendAgain = async (): Promise<void> => {
    if (await resend.run('resend_invitation', { invitation: id }))
      showToast({ text: hasMail ? words.resent(email) : words.notSent(1) })
  }
  const takeBack = async (): Promise<void> => {
    if (!(await revoke.run('revoke_invitation', { invitation: id }))) return
    showToast({ text: words.revoked(email) })
    onGone()
  }
  return (
    <Row
      icon={<Mail size={18} aria-hidden />}
      isIconSpared
      title={email}
      mark={
        <>
          <Chip colour="slate">{peopleMessages.roles[role].label}</Chip>
          {isOver ? <Chip colour="amber">{words.expired}</Chip> : null}
          {invitation.mail === 'failed' || invitation.mail === 'captured' ? (
            <Chip colour="coral">{words.mails[invitation.mail]}</Chip>
          ) : null}
        </>
      }
      actions={
        <>
          {people.me && isAtMost(role, people.me.role) ? (
            <OnlineButton
              size="sm"
              aria-label={words.resendNamed(email)}
              isPending={resend.isPending}
              onPress={() => void sendAgain()}
            >
              {words.resend}
            </OnlineButton>
          ) : null}
          <OnlineButton
            size="sm"
            aria-label={words.revokeNamed(email)}
            isPending={revoke.isPending}
            onPress={() => void takeBack()}
          >
            {words.revoke}
          </OnlineButton>
        </>
      }
      below={<CallFailureText failure={resend.failure ?? revoke.failure} />}
    >
      <span className="block">
        {[mailOf(invitation), inviter === null ? '' : words.by(inviter), team ?? '']
          .filter((part) => part !== '')
          .join(' · ')}
      </span>
      {until && !isOver ? <span className="block">{words.pendingUntil(until)}</span> : null}
    </Row>
  )
}

/** Describes whether the mail was sent. A failure is shown beside the address. */
function mailOf({ mail, last_sent_at: sentAt }: InvitationRow): string {
  const at = sentAt === null ? undefined : momentOf(sentAt)
  if (mail === 'sent' && at) return words.mailSent(at)
  return mail === 'failed' || mail === 'captured' ? '' : words.mails[mail]
}

function whenOf(text: string | null): string {
  const at = text === null ? undefined : momentOf(text)
  return at === undefined ? '' : formatMoment(at)
}
