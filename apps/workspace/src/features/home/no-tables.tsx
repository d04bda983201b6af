import { useHasSynced, useSession } from '@holdfast/react'
import { FileSpreadsheet, LayoutTemplate, Table2 } from 'lucide-react'
import type { JSX } from 'react'
import { EmptyState } from '../../components/empty-state.tsx'
import { LinkButton } from '../../components/link.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { canChange, useWorkspace } from '../../lib/records/use-workspace.ts'
import { homeMessages as words } from '../../messages/home.ts'
import { StartWorkspaceForm } from '../welcome/start-workspace-form.tsx'

const ICON = { size: 16, 'aria-hidden': true } as const

/** Shown without tables: the user's next step. `ws` is the workspace in URLs. */
export function NoTables({ ws }: { readonly ws: string }): JSX.Element | null {
  const { config } = useBackend()
  const own = useWorkspace()
  const hasSynced = useHasSynced()
  const session = useSession()
  if (own === undefined || !hasSynced) return null
  if (own === null) {
    const user = 'user' in session ? session.user : undefined
    if (config.hasOpenWorkspaces)
      return (
        <section aria-label={words.startWorkspace} className="mx-auto flex max-w-sm flex-col gap-4 px-6 py-10">
          <h3 className="text-title">{words.startWorkspace}</h3>
          <p className="text-body text-muted">{words.startWorkspaceDetail}</p>
          <StartWorkspaceForm />
        </section>
      )
    return <EmptyState title={words.noWorkspace}>{words.noWorkspaceDetail(user?.email)}</EmptyState>
  }
  if (!canChange(own)) return <EmptyState title={words.noTables}>{words.noTablesDetail}</EmptyState>
  return (
    <EmptyState
      title={words.firstTable}
      action={
        <div className="flex flex-wrap justify-center gap-3">
          <LinkButton tone="primary" to="/w/$ws/import" params={{ ws }} search={{ new: true }}>
            <FileSpreadsheet {...ICON} /> {words.fromFile}
          </LinkButton>
          <LinkButton to="/w/$ws/templates" params={{ ws }}>
            <LayoutTemplate {...ICON} /> {words.fromTemplate}
          </LinkButton>
          <LinkButton to="/w/$ws/new-table" params={{ ws }}>
            <Table2 {...ICON} /> {words.startEmpty}
          </LinkButton>
        </div>
      }
    >
      {words.firstTableDetail}
    </EmptyState>
  )
}
