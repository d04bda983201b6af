import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type JSX, useId } from 'react'
import type { ListedUser } from '@holdfast/protocol'
import { inputClass } from '@holdfast/workspace'
import { queryOf, request } from '../lib/api.ts'
import { useDebounced } from '../lib/use-debounced.ts'

/** Suggestions below the field. */
const SUGGESTIONS = 8

/** A field for the address or id of a user, with suggestions of the browser. */
export function UserField({
  label = 'User',
  value,
  onChange,
  className = '',
}: {
  readonly label?: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly className?: string
}): JSX.Element {
  const id = useId()
  const settled = useDebounced(value.trim())
  const users = useQuery({
    queryKey: ['users', 'suggested', settled],
    queryFn: ({ signal }) =>
      request<{ users: readonly ListedUser[] }>(`GET /users${queryOf({ search: settled, limit: SUGGESTIONS })}`, {
        signal,
      }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
  return (
    <div className={`flex flex-col gap-1.5 ${className}`}>
      <label htmlFor={`${id}-input`} className="text-small font-medium text-text">
        {label}
      </label>
      <input
        id={`${id}-input`}
        list={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        placeholder="Address or id"
        autoComplete="off"
        spellCheck={false}
        className={`${inputClass} h-9 coarse:h-11`}
      />
      <datalist id={id}>
        {users.data?.users.map((user) => (
          <option key={user.id} value={user.email ?? user.id}>
            {user.name ?? user.phone ?? user.id}
          </option>
        ))}
      </datalist>
    </div>
  )
}
