import { type JSX, useState } from 'react'
import { Button, Section, TextField } from '@holdfast/workspace'
import type { AccountUser } from './user-details.ts'
import { useUserChange } from './use-user-change.ts'

/** Edits the metadata of a user as JSON. */
export function EditMetadata({ user }: { readonly user: AccountUser }): JSX.Element {
  return (
    <Section
      title="Metadata"
      description="The user may change user metadata; only the server changes app metadata, which is safe in policies."
    >
      <div className="grid grid-cols-1 gap-4 laptop:grid-cols-2">
        <JsonForm user={user} field="user_metadata" label="User metadata" />
        <JsonForm user={user} field="app_metadata" label="App metadata" />
      </div>
    </Section>
  )
}

function JsonForm({
  user,
  field,
  label,
}: {
  readonly user: AccountUser
  readonly field: 'user_metadata' | 'app_metadata'
  readonly label: string
}): JSX.Element {
  const [text, setText] = useState(() => JSON.stringify(user[field], undefined, 2))
  const change = useUserChange(user.id, `${label} saved`)
  const parsed = parseObject(text)
  const isChanged = parsed !== undefined && JSON.stringify(parsed) !== JSON.stringify(user[field])
  const save = (): void => {
    if (parsed === undefined) return
    // The accounts API merges; null removes a key.
    const removed = Object.keys(user[field]).filter((key) => !(key in parsed))
    const body = { [field]: { ...parsed, ...Object.fromEntries(removed.map((key) => [key, null])) } }
    change.mutate({ target: `PATCH /users/${user.id}`, body })
  }
  return (
    <div className="flex flex-col items-start gap-2">
      <TextField
        label={label}
        rows={8}
        isMono
        spellCheck={false}
        className="w-full"
        value={text}
        onChange={setText}
        errorMessage={parsed === undefined ? 'This is not a JSON object.' : undefined}
      />
      <Button size="sm" isDisabled={!isChanged} isPending={change.isPending} onPress={save}>
        Save {label.toLowerCase()}
      </Button>
    </div>
  )
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(text) as unknown
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}
