import { type JSX, useState } from 'react'
import type { TableDetails, TableIdentity } from '@holdfast/protocol'
import { Button, Select } from '@holdfast/workspace'
import { UserField } from '../../components/user-field.tsx'
import { policiesInForce } from './policies-in-force.ts'

const IDENTITIES = [
  { value: 'postgres', label: 'Project (postgres)' },
  { value: 'anon', label: 'Visitor (anon)' },
  { value: 'user', label: 'User…' },
] as const

/** Chooses whose rights reads and changes have, and names the policies that decide. */
export function IdentityBar({
  details,
  as,
  onChange,
}: {
  readonly details: TableDetails
  readonly as: TableIdentity
  readonly onChange: (as: TableIdentity) => void
}): JSX.Element {
  const [kind, setKind] = useState<string>(as.kind)
  const [user, setUser] = useState(as.kind === 'user' ? as.id : '')
  const { text, policies, rule } = policiesInForce(details, as)
  const choose = (chosen: string): void => {
    setKind(chosen)
    if (chosen === 'postgres' || chosen === 'anon') onChange({ kind: chosen })
  }
  return (
    <section aria-label="Rights" className="flex flex-col gap-2 rounded-lg border border-border bg-surface px-4 py-3">
      <div className="flex flex-wrap items-end gap-3">
        <Select label="As" options={IDENTITIES} value={kind} onChange={choose} className="w-48" />
        {kind === 'user' ? (
          <form
            className="flex min-w-0 items-end gap-2"
            onSubmit={(event) => {
              event.preventDefault()
              if (user.trim() !== '') onChange({ kind: 'user', id: user.trim() })
            }}
          >
            <UserField value={user} onChange={setUser} className="w-72" />
            <Button type="submit">Use</Button>
          </form>
        ) : null}
      </div>
      <p className={`text-small ${rule === 'open' && details.rls === 'off' ? 'text-danger' : 'text-muted'}`}>{text}</p>
      {policies.length === 0 ? null : (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by keys
        <ul
          tabIndex={0}
          aria-label="Policies in force"
          className="flex max-h-40 flex-col gap-1 overflow-auto text-small"
        >
          {policies.map(({ name, command, isPermissive, using, check }) => (
            <li key={name} className="[overflow-wrap:anywhere]">
              <span className="font-medium">{name}</span>{' '}
              <span className="text-muted">
                {command}
                {isPermissive ? '' : ', restrictive'}
              </span>{' '}
              <code className="font-mono text-mono">
                {using === null ? '' : `using (${using})`}
                {check === null ? '' : ` with check (${check})`}
              </code>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
