import { type FormEvent, type JSX, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { useRecordWriter } from '../../components/records/use-record-writer.ts'
import { TextField } from '../../components/text-field.tsx'
import { changeWorkspace, type Workspace } from '../../lib/records/use-workspace.ts'
import { workspaceMessages as words } from '../../messages/workspace.ts'

/** Characters of a name; Postgres has the same limit. */
const NAME_CHARS_MAX = 80

/** The name of the workspace, which the app, prints, mails and links show. Owners and admins change it, even offline. */
export function NameSection({
  workspace,
  mayChange,
}: {
  readonly workspace: Workspace
  readonly mayChange: boolean
}): JSX.Element {
  const writer = useRecordWriter()
  const [typed, setTyped] = useState(workspace.name)
  const [isMissing, setMissing] = useState(false)
  const name = typed.trim()
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setMissing(name === '')
    if (name !== '' && name !== workspace.name)
      await writer.writeOrTell(changeWorkspace(workspace, words.renamed, { name }))
  }
  return (
    <form className="flex flex-wrap items-end gap-2" onSubmit={(event) => void save(event)}>
      <TextField
        label={words.name}
        name="workspace-name"
        className="min-w-0 flex-1"
        maxLength={NAME_CHARS_MAX}
        value={typed}
        isDisabled={!mayChange}
        onChange={setTyped}
        errorMessage={isMissing ? words.nameMissing : undefined}
      />
      {name === workspace.name ? null : <Button type="submit">{words.rename}</Button>}
    </form>
  )
}
