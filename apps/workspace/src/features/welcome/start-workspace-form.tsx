import { type JSX, useState } from 'react'
import { EntryForm } from '../../components/entry-form.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useEntryForm } from '../../lib/auth/use-entry-form.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { startWorkspace } from '../../lib/data/start-workspace.ts'
import { ownerMessages as words } from '../../messages/welcome.ts'

/** The server's limit. */
export const WORKSPACE_CHARS_MAX = 80

/** Names and creates a workspace for a signed-in user. */
export function StartWorkspaceForm({
  ownerKey,
  onStarted,
}: {
  /** For a server's first workspace. */
  readonly ownerKey?: string | undefined
  /** Called with the workspace's id. */
  readonly onStarted?: (workspace: string) => Promise<void>
}): JSX.Element {
  const backend = useBackend()
  const [workspace, setWorkspace] = useState('')
  const form = useEntryForm<'workspace'>({
    check: () => (workspace.trim() === '' ? { field: 'workspace', text: words.workspaceMissing } : undefined),
    async send() {
      const started = await startWorkspace(backend, {
        workspace: workspace.trim(),
        ...(ownerKey === undefined ? {} : { key: ownerKey }),
      })
      await onStarted?.(started)
    },
  })
  return (
    <EntryForm form={form} submitLabel={words.create}>
      <TextField
        label={words.workspace}
        name="workspace"
        autoComplete="organization"
        value={workspace}
        onChange={setWorkspace}
        maxLength={WORKSPACE_CHARS_MAX}
        description={words.workspaceHelp}
        errorMessage={form.problemOf('workspace')}
      />
    </EntryForm>
  )
}
