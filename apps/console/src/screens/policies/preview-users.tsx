import { X } from 'lucide-react'
import { type JSX, useState } from 'react'
import { Button, IconButton } from '@holdfast/workspace'
import { UserField } from '../../components/user-field.tsx'

/** Users that one preview compares. */
const USERS_MAX = 10

/** Stands for visitors without an account. */
export const VISITOR = 'anon'

/** Chooses whose devices are compared. */
export function PreviewUsers({
  users,
  onChange,
}: {
  /** Addresses or ids, or {@link VISITOR}. */
  readonly users: readonly string[]
  readonly onChange: (users: readonly string[]) => void
}): JSX.Element {
  const [user, setUser] = useState('')
  const add = (id: string): void => {
    if (id !== '' && !users.includes(id)) onChange([...users, id])
    setUser('')
  }
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 font-medium">Users to compare</legend>
      {users.length === 0 ? (
        <p className="text-muted">The five users who signed in last, unless you add some.</p>
      ) : (
        <ul aria-label="Users to compare" className="flex flex-wrap gap-2">
          {users.map((id) => (
            <li
              key={id}
              className="flex items-center gap-1 rounded-md border border-border bg-raised py-0.5 pr-1 pl-2.5"
            >
              <span className="[overflow-wrap:anywhere]">{id === VISITOR ? 'Visitor (anon)' : id}</span>
              <IconButton
                size="sm"
                label={`Remove ${id}`}
                icon={<X size={14} aria-hidden />}
                onPress={() => onChange(users.filter((one) => one !== id))}
              />
            </li>
          ))}
        </ul>
      )}
      {users.length >= USERS_MAX ? null : (
        <form
          className="flex flex-wrap items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            add(user.trim())
          }}
        >
          <UserField value={user} onChange={setUser} className="w-72 max-w-full" />
          <Button type="submit">Add</Button>
          {users.includes(VISITOR) ? null : <Button onPress={() => add(VISITOR)}>Add visitor</Button>}
        </form>
      )}
    </fieldset>
  )
}
