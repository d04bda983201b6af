import type { JSX } from 'react'
import { Select } from '../../components/select.tsx'
import { inviteMessages as words } from '../../messages/people.ts'
import type { People } from './use-people.ts'

/** Value of the option without a team. */
export const NO_TEAM = 'none'

/** Selects the team of a user to invite; nothing if the workspace has no teams. */
export function TeamSelect({
  teams,
  team,
  onChange,
}: {
  readonly teams: People['teams']
  readonly team: string
  readonly onChange: (team: string) => void
}): JSX.Element | null {
  if (teams.length === 0) return null
  const options = teams.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Select
      label={words.team}
      value={team}
      options={[{ value: NO_TEAM, label: words.noTeam }, ...options]}
      onChange={onChange}
    />
  )
}
