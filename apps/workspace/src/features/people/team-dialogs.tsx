import { type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { useRecordWriter } from '../../components/records/use-record-writer.ts'
import { TextField } from '../../components/text-field.tsx'
import { useUntilChanged } from '../../hooks/use-until-changed.ts'
import { uuidV7 } from '../../lib/fields/uuid-v7.ts'
import type { RecordChange } from '../../lib/records/record-change.ts'
import { teamMessages as words } from '../../messages/people.ts'
import type { Member, People, Team, TeamMember } from './use-people.ts'

const NAME_CHARS_MAX = 80

/** Creates or renames a team. */
export function TeamNameDialog({
  people,
  team,
  onClose,
}: {
  readonly people: People
  readonly team?: Team
  readonly onClose: () => void
}): JSX.Element {
  const writer = useRecordWriter()
  const [typed, setTyped] = useState(team?.name ?? '')
  const [problem, setProblem] = useState<string>()
  const name = typed.trim()
  const save = async (): Promise<void> => {
    const found = name === '' ? words.nameMissing : name.length > NAME_CHARS_MAX ? words.nameLong : undefined
    setProblem(found)
    if (found !== undefined) return
    const change: RecordChange = team
      ? { kind: 'update', table: 'hf_teams', id: team.id, values: { name }, before: { name: team.name } }
      : {
          kind: 'insert',
          table: 'hf_teams',
          id: uuidV7(),
          values: { workspace_id: people.workspace.id, name, color: 'blue' },
        }
    const label = team ? words.renamedLabel(team.name) : words.madeLabel(name)
    if (await writer.writeOrTell({ label, changes: [change] })) onClose()
  }
  return (
    <FormDialog
      title={team ? words.renameTitle(team.name) : words.addTitle}
      submitLabel={team ? words.save : words.create}
      isPending={false}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label={words.name} name="name" autoFocus value={typed} onChange={setTyped} errorMessage={problem} />
    </FormDialog>
  )
}

/** Edits a team's members and leads. Each change is stored at once. */
export function TeamMembersDialog({
  people,
  team,
  onClose,
}: {
  readonly people: People
  readonly team: Team
  readonly onClose: () => void
}): JSX.Element {
  const writer = useRecordWriter()
  const write = (change: RecordChange): Promise<boolean> =>
    writer.writeOrTell({ label: words.memberLabel(team.name), changes: [change] })
  const able = people.members.filter(({ role, isActive }) => isActive && role !== 'guest')
  return (
    <Dialog
      title={words.membersOf(team.name)}
      isOpen
      onClose={onClose}
      actions={
        <Button tone="primary" onPress={onClose}>
          {words.done}
        </Button>
      }
    >
      <p className="pb-2 text-muted">{words.membersDetail}</p>
      <ul aria-label={words.membersOf(team.name)} className="flex flex-col">
        {able.map((member) => (
          <Place
            key={member.id}
            team={team}
            member={member}
            place={team.members.find(({ userId }) => userId === member.userId)}
            onChange={write}
          />
        ))}
      </ul>
    </Dialog>
  )
}

function Place({
  team,
  member,
  place,
  onChange,
}: {
  readonly team: Team
  readonly member: Member
  /** `undefined`: not in the team. */
  readonly place: TeamMember | undefined
  /** @returns whether it is stored */
  readonly onChange: (change: RecordChange) => Promise<boolean>
}): JSX.Element {
  const table = 'hf_team_members'
  const { userId, name } = member
  const untilChanged = useUntilChanged(place?.id)
  const toggle = (): void => {
    const as = place?.function ?? 'member'
    const values = { team_id: team.id, user_id: userId, function: as }
    untilChanged(() =>
      onChange(
        place ? { kind: 'delete', table, id: place.id, values } : { kind: 'insert', table, id: uuidV7(), values },
      ),
    )
  }
  const lead = (isLead: boolean): void => {
    if (!place) return
    const values = { function: isLead ? 'lead' : 'member' }
    void onChange({ kind: 'update', table, id: place.id, values, before: { function: place.function } })
  }
  return (
    <li className="flex min-h-9 flex-wrap items-center justify-between gap-x-4">
      <Checkbox isSelected={place !== undefined} onChange={toggle}>
        {name}
      </Checkbox>
      {place ? (
        <Checkbox aria-label={words.leadOf(name)} isSelected={place.function === 'lead'} onChange={lead}>
          {words.lead}
        </Checkbox>
      ) : null}
    </li>
  )
}
