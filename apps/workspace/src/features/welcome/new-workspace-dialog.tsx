import type { JSX } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { workspacesMessages as words } from '../../messages/workspaces.ts'
import { StartWorkspaceForm } from './start-workspace-form.tsx'

/** Starts another workspace for a user who is in one already. */
export function NewWorkspaceDialog({
  onClose,
  onStarted,
}: {
  readonly onClose: () => void
  /** Called with the workspace's id; it reaches this device with the next sync. */
  readonly onStarted: (workspace: string) => void
}): JSX.Element {
  return (
    <Dialog title={words.start} isOpen onClose={onClose}>
      <p className="text-muted">{words.startDetail}</p>
      <StartWorkspaceForm onStarted={async (workspace) => onStarted(workspace)} />
    </Dialog>
  )
}
