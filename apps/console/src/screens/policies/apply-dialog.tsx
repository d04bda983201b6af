import { useMutation, useQuery } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import type { AppliedTableChange, MigrationFolderState } from '@holdfast/protocol'
import { FormDialog, showToast, TextField } from '@holdfast/workspace'
import { FormError } from '../../components/form-error.tsx'
import { WriteMigration } from '../../components/write-migration.tsx'
import { request } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'

/** Applies previewed SQL as a migration of the project. */
export function ApplyDialog({
  sql,
  onClose,
  onDone,
}: {
  readonly sql: string
  readonly onClose: () => void
  readonly onDone: () => void
}): JSX.Element {
  const [name, setName] = useState('change_policies')
  const [isWritten, setWritten] = useState(true)
  const folder = useQuery({
    queryKey: ['policies', 'migrations'],
    queryFn: ({ signal }) => request<MigrationFolderState>('GET /policies/migrations', { signal }),
  })
  const isWritable = folder.data?.state === 'writable'
  const apply = useMutation({
    mutationFn: () =>
      request<AppliedTableChange>('POST /policies/apply', {
        body: { sql, name, writesFile: isWritable && isWritten },
      }),
    onSuccess: async ({ file }) => {
      showToast({ text: file === undefined ? 'Applied' : `Applied, and written to ${file}` })
      onDone()
      for (const key of ['tables', 'table', 'rows', 'policies'])
        await queryClient.invalidateQueries({ queryKey: [key] })
    },
  })
  return (
    <FormDialog
      title="Apply the change"
      submitLabel="Apply"
      size="md"
      isPending={apply.isPending}
      isDisabled={!/^[a-z0-9_]{1,60}$/.test(name) || folder.isPending}
      onSubmit={() => apply.mutate()}
      onClose={onClose}
    >
      <p className="text-muted">The SQL runs in one transaction. If a statement fails, nothing is changed.</p>
      {folder.data ? <WriteMigration migrations={folder.data} isWritten={isWritten} onChange={setWritten} /> : null}
      {isWritable ? (
        <TextField
          label="Name of the migration"
          description="Lower-case letters, digits and _"
          value={name}
          onChange={setName}
          autoComplete="off"
          spellCheck={false}
        />
      ) : null}
      <FormError error={folder.error} />
      <FormError error={apply.error} />
    </FormDialog>
  )
}
