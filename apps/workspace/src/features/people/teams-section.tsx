import { MoreHorizontal, Pencil, Plus, Trash2, Users } from 'lucide-react'
import { type JSX, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Menu, MenuItem, MenuTrigger } from '../../components/menu.tsx'
import { useRecordWriter } from '../../components/records/use-record-writer.ts'
import { NoRows, Row, Rows, Section } from '../../components/section.tsx'
import { formatNames } from '../../lib/format.ts'
import { teamMessages as words } from '../../messages/people.ts'
import { TeamMembersDialog, TeamNameDialog } from './team-dialogs.tsx'
import type { People, Team } from './use-people.ts'

const ICON = { size: 16, 'aria-hidden': true } as const

/** The workspace's teams. They are ordinary rows, so admins can change them offline. */
export function TeamsSection({ people }: { readonly people: People }): JSX.Element {
  const { teams, isAdmin } = people
  const [isAdding, setAdding] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  return (
    <Section
      title={words.title}
      headingRef={heading}
      action={
        isAdmin ? (
          <Button size="sm" icon={<Plus {...ICON} />} onPress={() => setAdding(true)}>
            {words.add}
          </Button>
        ) : null
      }
    >
      {teams.length === 0 ? (
        <NoRows>{words.none}</NoRows>
      ) : (
        <Rows label={words.title}>
          {teams.map((team) => (
            <TeamRow key={team.id} people={people} team={team} onGone={() => heading.current?.focus()} />
          ))}
        </Rows>
      )}
      {isAdding ? <TeamNameDialog people={people} onClose={() => setAdding(false)} /> : null}
    </Section>
  )
}

function TeamRow({
  people,
  team,
  onGone,
}: {
  readonly people: People
  readonly team: Team
  readonly onGone: () => void
}): JSX.Element {
  const [asking, setAsking] = useState<'members' | 'name' | 'remove'>()
  const close = (): void => setAsking(undefined)
  const names = namesOf(people, team)
  return (
    <Row
      icon={<Users size={18} aria-hidden />}
      isIconSpared
      title={team.name}
      actions={
        people.isAdmin ? (
          <MenuTrigger>
            <IconButton label={words.actionsOf(team.name)} icon={<MoreHorizontal size={18} aria-hidden />} />
            <Menu label={words.actionsOf(team.name)}>
              <MenuItem icon={<Users {...ICON} />} onAction={() => setAsking('members')}>
                {words.chooseMembers}
              </MenuItem>
              <MenuItem icon={<Pencil {...ICON} />} onAction={() => setAsking('name')}>
                {words.rename}
              </MenuItem>
              <MenuItem isDanger icon={<Trash2 {...ICON} />} onAction={() => setAsking('remove')}>
                {words.remove}
              </MenuItem>
            </Menu>
          </MenuTrigger>
        ) : undefined
      }
    >
      {names.length === 0 ? words.nobody : formatNames(names)}
      {asking === 'members' ? <TeamMembersDialog people={people} team={team} onClose={close} /> : null}
      {asking === 'name' ? <TeamNameDialog people={people} team={team} onClose={close} /> : null}
      {asking === 'remove' ? <RemoveTeamDialog team={team} onClose={close} onGone={onGone} /> : null}
    </Row>
  )
}

/** Returns the members' names, marking the leads. */
function namesOf({ members }: People, team: Team): readonly string[] {
  return members.flatMap(({ userId, name }) => {
    const place = team.members.find((one) => one.userId === userId)
    return place ? [place.function === 'lead' ? words.leads(name) : name] : []
  })
}

function RemoveTeamDialog({
  team,
  onClose,
  onGone,
}: {
  readonly team: Team
  readonly onClose: () => void
  readonly onGone: () => void
}): JSX.Element {
  const writer = useRecordWriter()
  const remove = async (): Promise<void> => {
    onClose()
    const isStored = await writer.writeOrTell({
      label: words.removedLabel(team.name),
      changes: [
        ...team.members.map(({ id, userId, function: as }) => ({
          kind: 'delete' as const,
          table: 'hf_team_members',
          id,
          values: { team_id: team.id, user_id: userId, function: as },
        })),
        { kind: 'delete', table: 'hf_teams', id: team.id, values: team.row },
      ],
    })
    if (isStored) onGone()
  }
  return (
    <ConfirmDialog
      title={words.removeTitle(team.name)}
      isOpen
      isDanger
      onClose={onClose}
      confirmLabel={words.removeConfirm}
      onConfirm={() => void remove()}
    >
      <p>{words.removeDetail}</p>
    </ConfirmDialog>
  )
}
