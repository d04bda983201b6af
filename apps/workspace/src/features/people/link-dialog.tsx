import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CallFailureText } from '../../components/call-failure-text.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Select } from '../../components/select.tsx'
import { SharedLink } from '../../components/shared-link.tsx'
import { useCall } from '../../hooks/use-call.ts'
import { linkMessages as words } from '../../messages/people.ts'
import { RoleSelect } from './role-fields.tsx'
import { isAtMost, type Role } from './roles.ts'
import { NO_TEAM, TeamSelect } from './team-select.tsx'
import type { People } from './use-people.ts'

/** Days after which a link may expire. */
const DAYS = [1, 7, 30]
const USES = [1, 10, 50, 500]

/** Creates an invite link and shows it once, with its QR code. */
export function LinkDialog({
  people,
  role: most,
  onClose,
}: {
  readonly people: People
  /** The user's own role. */
  readonly role: Role
  readonly onClose: () => void
}): JSX.Element {
  const [address, setAddress] = useState<string>()
  const highest: Role = isAtMost('editor', most) ? 'editor' : most
  const [role, setRole] = useState<Role>(highest)
  const [team, setTeam] = useState(NO_TEAM)
  const [days, setDays] = useState(7)
  const [uses, setUses] = useState(50)
  const call = useCall()
  const create = async (): Promise<void> => {
    const args = { workspace: people.workspace.id, as_role: role, team: team === NO_TEAM ? null : team, days, uses }
    const made = await call.run<{ readonly secret: string }>('create_invite_link', args)
    if (made) setAddress(`${location.origin}/invite/${made.result.secret}`)
  }
  if (address !== undefined)
    return (
      <Dialog
        title={words.made}
        isOpen
        onClose={onClose}
        actions={
          <Button tone="primary" onPress={onClose}>
            {words.done}
          </Button>
        }
      >
        <div className="flex flex-col gap-4">
          <p className="text-muted">{words.madeDetail}</p>
          <SharedLink address={address} title={words.shareText(people.workspace.name)} />
        </div>
      </Dialog>
    )
  return (
    <FormDialog
      title={words.open}
      submitLabel={words.create}
      isPending={call.isPending}
      onSubmit={create}
      onClose={onClose}
    >
      <RoleSelect least="viewer" most={highest} role={role} onChange={setRole} />
      <TeamSelect teams={people.teams} team={team} onChange={setTeam} />
      <Select
        label={words.days}
        value={String(days)}
        options={DAYS.map((count) => ({ value: String(count), label: words.dayChoices(count) }))}
        onChange={(value) => setDays(Number(value))}
      />
      <Select
        label={words.uses}
        value={String(uses)}
        options={USES.map((count) => ({ value: String(count), label: String(count) }))}
        onChange={(value) => setUses(Number(value))}
      />
      <CallFailureText failure={call.failure} />
    </FormDialog>
  )
}
