import { useLocalDatabase } from '@holdfast/react'
import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown, Plus } from 'lucide-react'
import { type JSX, useState } from 'react'
import { IconButton } from '../../components/icon-button.tsx'
import { lateContent } from '../../components/late-content.tsx'
import { Menu, MenuItem, MenuSection, MenuSeparator, MenuTrigger } from '../../components/menu.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { chooseWorkspace } from '../../lib/data/chosen-workspace.ts'
import { useWorkspaces } from '../../lib/data/use-workspaces.ts'
import { useWorkspace } from '../../lib/records/use-workspace.ts'
import { workspacesMessages as words } from '../../messages/workspaces.ts'

const NewWorkspace = lateContent(
  async () => (await import('../../features/welcome/new-workspace-dialog.tsx')).NewWorkspaceDialog,
)

/** Switches between the user's workspaces and starts another where the server allows it. */
export function WorkspaceMenu({ workspace: ws }: { readonly workspace: string }): JSX.Element {
  const { config } = useBackend()
  const { userId } = useLocalDatabase()
  const { workspaces } = useWorkspaces()
  const current = useWorkspace()
  const navigate = useNavigate()
  const [isStarting, setStarting] = useState(false)
  const open = (id: string): void => {
    chooseWorkspace(userId, id)
    void navigate({ to: '/w/$ws', params: { ws } })
  }
  return (
    <>
      <MenuTrigger>
        <IconButton label={words.choose} size="sm" icon={<ChevronsUpDown size={16} aria-hidden />} />
        <Menu label={words.all} className="w-64">
          <MenuSection
            headerClassName="pt-1 pb-1 text-small font-medium text-muted"
            header={words.all}
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={current ? [current.id] : []}
            onSelectionChange={(keys) => {
              const chosen = keys === 'all' ? undefined : workspaces.find(({ id }) => keys.has(id))
              if (chosen) open(chosen.id)
            }}
          >
            {workspaces.map(({ id, name }) => (
              <MenuItem key={id} id={id}>
                {name}
              </MenuItem>
            ))}
          </MenuSection>
          {config.hasOpenWorkspaces ? (
            <>
              <MenuSeparator />
              <MenuItem icon={<Plus size={16} aria-hidden />} onAction={() => setStarting(true)}>
                {words.start}
              </MenuItem>
            </>
          ) : null}
        </Menu>
      </MenuTrigger>
      {isStarting ? (
        <NewWorkspace.Content
          onClose={() => setStarting(false)}
          onStarted={(id) => {
            setStarting(false)
            open(id)
          }}
        />
      ) : null}
    </>
  )
}
