import type { JSX } from 'react'
import { Select } from '../../components/select.tsx'
import { TextField } from '../../components/text-field.tsx'
import { peopleMessages as words } from '../../messages/people.ts'
import { isAtMost, type Role, rolesUpTo } from './roles.ts'

/** Selects one of the roles from `least` up to the highest that the user may grant. */
export function RoleSelect({
  least = 'guest',
  most,
  role,
  onChange,
}: {
  readonly least?: Role
  /** The user's own role. */
  readonly most: Role
  readonly role: Role
  readonly onChange: (role: Role) => void
}): JSX.Element {
  const roles = rolesUpTo(most).filter((one) => isAtMost(least, one))
  return (
    <Select
      label={words.role}
      description={words.roles[role].detail}
      value={role}
      options={roles.map((value) => ({ value, label: words.roles[value].label }))}
      onChange={(value) => {
        const chosen = roles.find((one) => one === value)
        if (chosen) onChange(chosen)
      }}
    />
  )
}

/** The last day of a guest's access. */
export function AccessUntilField({
  day,
  onChange,
  problem,
}: {
  readonly day: string
  readonly onChange: (day: string) => void
  readonly problem: string | undefined
}): JSX.Element {
  return (
    <TextField
      type="date"
      name="until"
      label={words.accessUntil}
      description={words.accessUntilHelp}
      value={day}
      onChange={onChange}
      errorMessage={problem}
    />
  )
}
