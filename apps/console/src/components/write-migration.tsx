import type { JSX } from 'react'
import type { MigrationFolderState } from '@holdfast/protocol'
import { Checkbox, Notice } from '@holdfast/workspace'

/** Chooses whether a change is written as a migration of the project, or says why it cannot be. */
export function WriteMigration({
  migrations,
  isWritten,
  onChange,
}: {
  readonly migrations: MigrationFolderState
  readonly isWritten: boolean
  readonly onChange: (isWritten: boolean) => void
}): JSX.Element {
  if (migrations.state !== 'writable') return <Notice title="No migration is written">{reasonOf(migrations)}</Notice>
  return (
    <Checkbox isSelected={isWritten} onChange={onChange}>
      Write it as a migration in {migrations.folder}
    </Checkbox>
  )
}

function reasonOf({ folder, state }: MigrationFolderState): string {
  const keep = 'Keep the SQL if the project’s files should have the change.'
  if (state === 'missing') return `There is no folder ${folder} where the server runs. ${keep}`
  if (state === 'read_only') return `The server may not write into ${folder}. ${keep}`
  return `The server was started without the project’s migrations. ${keep}`
}
