import { CircleSlash2, LogOut, MoreHorizontal, RotateCcw, UserCog, UserMinus } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Avatar } from '../../components/avatar.tsx'
import { Chip } from '../../components/chip.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Menu, MenuItem, MenuTrigger } from '../../components/menu.tsx'
import { Row } from '../../components/section.tsx'
import { showToast } from '../../components/toast.tsx'
import { useOnline } from '../../hooks/use-online.ts'
import { momentOf } from '../../lib/fields/dates.ts'
import { formatNames } from '../../lib/format.ts'
import { peopleMessages as words } from '../../messages/people.ts'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { LeaveDialog, type MemberDialogProps, RemoveDialog, RoleDialog, SuspendDialog } from './member-dialogs.tsx'
import { isAtMost, isPast } from './roles.ts'
import { type Call, useCall } from '../../hooks/use-call.ts'
import type { MemberDetails } from './use-member-details.ts'
import type { Member, People } from './use-people.ts'

const ICON = { size: 16, 'aria-hidden': true } as const
const DIALOGS = { role: RoleDialog, suspend: SuspendDialog, remove: RemoveDialog, leave: LeaveDialog } as const
type Asking = keyof typeof DIALOGS

/** A member, with the actions that the user may take. */
export function MemberRow({
  people,
  member,
  details,
  onGone,
}: {
  readonly people: People
  readonly member: Member
  readonly details: MemberDetails | undefined
  readonly onGone: () => void
}): JSX.Element {
  const [asking, setAsking] = useState<Asking>()
  const call = useCall()
  const isMe = member.id === people.me?.id
  const mayChange = people.isAdmin && people.me !== undefined && isAtMost(member.role, people.me.role)
  const dialog: MemberDialogProps = { people, member, onClose: () => setAsking(undefined), onGone }
  const Dialog = asking && DIALOGS[asking]
  return (
    <Row
      icon={<Avatar name={member.name} size="lg" />}
      isIconPlain
      title={member.name}
      mark={
        <>
          {isMe ? <Chip colour="teal">{words.you}</Chip> : null}
          <Chip colour="slate">{words.roles[member.role].label}</Chip>
          {member.isActive ? null : <Chip colour="amber">{words.deactivated}</Chip>}
        </>
      }
      actions={mayChange || isMe ? <Actions {...{ people, member, isMe, mayChange, call, setAsking }} /> : undefined}
      below={<CallFailureText failure={call.failure} />}
    >
      {factsOf(member, details).map((fact) => (
        <span key={fact} className="block">
          {fact}
        </span>
      ))}
      {Dialog ? <Dialog {...dialog} /> : null}
    </Row>
  )
}

function factsOf({ teams, shared, until }: Member, details: MemberDetails | undefined): readonly string[] {
  const seen = details?.last_seen_at == null ? undefined : momentOf(details.last_seen_at)
  const use = details && (seen === undefined ? words.never : words.seen(seen))
  const access = until && (isPast(until) ? words.ended(until) : words.until(until))
  const account = [details?.email ?? undefined, use].filter((part) => part !== undefined).join(' · ')
  return [
    teams.length > 0 ? formatNames(teams) : '',
    account,
    [access, shared > 0 ? words.sharedRecords(shared) : undefined].filter((part) => part !== undefined).join(' · '),
  ].filter((fact) => fact !== '')
}

function Actions({
  people,
  member,
  isMe,
  mayChange,
  call,
  setAsking,
}: {
  readonly people: People
  readonly member: Member
  readonly isMe: boolean
  readonly mayChange: boolean
  readonly call: Call
  readonly setAsking: (asking: Asking) => void
}): JSX.Element {
  const isOnline = useOnline()
  const isOnlyOwner = people.onlyOwner === member.id
  // Actions that require the server stay visible offline and say so.
  const detail = isOnline ? (isOnlyOwner ? words.onlyOwner : undefined) : words.needsConnection
  const common = { isDisabled: !isOnline || isOnlyOwner, detail }
  const reactivate = async (): Promise<void> => {
    const done = await call.run('set_member_active', { member: member.id, active: true })
    if (done) showToast({ text: words.reactivateDone(member.name) })
  }
  return (
    <MenuTrigger>
      <IconButton
        label={words.actionsOf(member.name)}
        icon={<MoreHorizontal size={18} aria-hidden />}
        isPending={call.isPending}
      />
      <Menu label={words.actionsOf(member.name)}>
        {mayChange ? (
          <MenuItem {...common} icon={<UserCog {...ICON} />} onAction={() => setAsking('role')}>
            {words.changeRole}
          </MenuItem>
        ) : null}
        {isMe ? (
          <MenuItem {...common} isDanger icon={<LogOut {...ICON} />} onAction={() => setAsking('leave')}>
            {words.leave}
          </MenuItem>
        ) : null}
        {isMe ? null : member.isActive ? (
          <MenuItem {...common} icon={<CircleSlash2 {...ICON} />} onAction={() => setAsking('suspend')}>
            {words.deactivate}
          </MenuItem>
        ) : (
          <MenuItem {...common} icon={<RotateCcw {...ICON} />} onAction={() => void reactivate()}>
            {words.reactivate}
          </MenuItem>
        )}
        {isMe ? null : (
          <MenuItem {...common} isDanger icon={<UserMinus {...ICON} />} onAction={() => setAsking('remove')}>
            {words.remove}
          </MenuItem>
        )}
      </Menu>
    </MenuTrigger>
  )
}
