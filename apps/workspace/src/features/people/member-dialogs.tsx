import { useUnsent } from '@holdfast/react'
import { type JSX, type ReactNode, useState } from 'react'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { showToast } from '../../components/toast.tsx'
import { dayOf } from '../../lib/fields/dates.ts'
import { peopleMessages as words } from '../../messages/people.ts'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { AccessUntilField, RoleSelect } from './role-fields.tsx'
import { endOfDay, isPast, type Role } from './roles.ts'
import { useCall } from '../../hooks/use-call.ts'
import type { Member, People } from './use-people.ts'

export interface MemberDialogProps {
  readonly people: People
  readonly member: Member
  readonly onClose: () => void
  /** Moves the focus elsewhere, because the member's row is about to disappear. */
  readonly onGone: () => void
}

/** Changes a role, up to the user's own; for a guest also the end of access. */
export function RoleDialog({ people, member, onClose }: MemberDialogProps): JSX.Element {
  const [role, setRole] = useState<Role>(member.role)
  const [day, setDay] = useState(member.until ? dayOf(member.until) : '')
  const [problem, setProblem] = useState<string>()
  const call = useCall()
  const save = async (): Promise<void> => {
    const until = role === 'guest' ? endOfDay(day) : undefined
    if (isPast(until)) return setProblem(words.dayOver)
    const done = await call.run('set_member_role', {
      member: member.id,
      new_role: role,
      access_until: until?.toISOString() ?? null,
    })
    if (!done) return
    showToast({ text: words.roleChanged(member.name, words.roles[role].label) })
    onClose()
  }
  return (
    <FormDialog
      title={words.changeRoleOf(member.name)}
      submitLabel={words.save}
      isPending={call.isPending}
      onSubmit={save}
      onClose={onClose}
    >
      {member.id === people.me?.id ? <p>{words.ownRole}</p> : null}
      <RoleSelect most={people.me?.role ?? 'guest'} role={role} onChange={setRole} />
      {role === 'guest' ? <AccessUntilField day={day} onChange={setDay} problem={problem} /> : null}
      <CallFailureText failure={call.failure} />
    </FormDialog>
  )
}

/** Asks for confirmation before the server changes a member. */
function MemberQuestion({
  call: [name, args],
  title,
  confirmLabel,
  done,
  onDone,
  onClose,
  children,
}: {
  readonly call: readonly [name: string, args: object]
  readonly title: string
  readonly confirmLabel: string
  /** Shown afterwards. */
  readonly done: string
  readonly onDone?: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}): JSX.Element {
  const call = useCall()
  const confirm = async (): Promise<void> => {
    if (!(await call.run(name, args))) return
    showToast({ text: done })
    onClose()
    onDone?.()
  }
  return (
    <ConfirmDialog
      title={title}
      isOpen
      isDanger
      onClose={onClose}
      confirmLabel={confirmLabel}
      isPending={call.isPending}
      onConfirm={() => void confirm()}
    >
      {children}
      <CallFailureText failure={call.failure} />
    </ConfirmDialog>
  )
}

export function SuspendDialog({ member, onClose }: MemberDialogProps): JSX.Element {
  return (
    <MemberQuestion
      call={['set_member_active', { member: member.id, active: false }]}
      title={words.deactivateTitle(member.name)}
      confirmLabel={words.deactivate}
      done={words.deactivateDone(member.name)}
      onClose={onClose}
    >
      <p>{words.deactivateDetail}</p>
    </MemberQuestion>
  )
}

export function RemoveDialog({ member, onClose, onGone }: MemberDialogProps): JSX.Element {
  return (
    <MemberQuestion
      call={['remove_member', { member: member.id }]}
      title={words.removeTitle(member.name)}
      confirmLabel={words.removeConfirm}
      done={words.removeDone(member.name)}
      onDone={onGone}
      onClose={onClose}
    >
      <p>{words.removeDetail}</p>
    </MemberQuestion>
  )
}

/** Lets the user leave the workspace. Names unsent changes first. */
export function LeaveDialog({ people, member, onClose, onGone }: MemberDialogProps): JSX.Element {
  const { waiting } = useUnsent()
  const { name } = people.workspace
  return (
    <MemberQuestion
      call={['remove_member', { member: member.id }]}
      title={words.leaveTitle(name)}
      confirmLabel={words.leaveConfirm}
      done={words.left(name)}
      onDone={onGone}
      onClose={onClose}
    >
      <p>{words.leaveDetail}</p>
      {waiting > 0 ? <p className="pt-2 font-medium">{words.leaveWaiting(waiting)}</p> : null}
    </MemberQuestion>
  )
}
