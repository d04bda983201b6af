import { useLastSyncedAt, useLocalDatabase } from '@holdfast/react'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Menu as MenuIcon, Search } from 'lucide-react'
import type { JSX } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { IconButton } from '../../components/icon-button.tsx'
import { Kbd } from '../../components/kbd.tsx'
import { lateContent } from '../../components/late-content.tsx'
import { Logo } from '../../components/logo.tsx'
import { useDocumentTitleEnd } from '../../components/page.tsx'
import { LatePeopleHere } from '../../components/presence/late-people-here.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { setPaused, usePause } from '../../lib/data/pause.ts'
import { usePerson } from '../../lib/data/use-person.ts'
import { useWorkspaces } from '../../lib/data/use-workspaces.ts'
import { useWorkspaceName } from '../../lib/records/use-workspace.ts'
import { usePlaceTopics } from '../../lib/presence/topics.ts'
import { useSyncLooks } from '../../lib/data/use-sync-looks.ts'
import { modKey } from '../../lib/shortcuts.ts'
import { shellMessages as words } from '../../messages/shell.ts'
import { AccountMenu } from './account-menu.tsx'
import { Breadcrumb } from './breadcrumb.tsx'
import type { Layer } from './layer.ts'
import { preloadPalette } from './layers.tsx'
import type { NavigationProps } from './side-bar.tsx'
import { SyncChip } from './sync-chip.tsx'

const workspaceMenu = lateContent(async () => (await import('./workspace-menu.tsx')).WorkspaceMenu)

interface TopBarProps {
  readonly navigation: NavigationProps
  readonly onLayer: (layer: Layer) => void
}

/** The project, current location, sync state, search and account. */
export function TopBar({ navigation, onLayer }: TopBarProps): JSX.Element {
  const { name, email } = usePerson()
  const { workspace, tables } = navigation
  const { config } = useBackend()
  const { length } = useWorkspaces().workspaces
  const workspaceName = useWorkspaceName()
  useDocumentTitleEnd(workspaceName)
  const mayChoose = length > 1 || (length === 1 && config.hasOpenWorkspaces)
  return (
    <header className="flex h-12 shrink-0 items-center gap-1.5 border-b border-border bg-surface px-2 coarse:h-14 laptop:px-3">
      <IconButton
        label={words.openNavigation}
        icon={<MenuIcon size={20} aria-hidden />}
        onPress={() => onLayer('drawer')}
        className="laptop:hidden"
      />
      <Link
        to="/w/$ws"
        params={{ ws: workspace }}
        className="flex h-8 min-w-0 items-center gap-2 rounded-md px-1.5 text-body font-semibold text-text no-underline hover:bg-hover coarse:h-11"
      >
        <span className="flex text-accent">
          <Logo size={20} />
        </span>
        <span className="max-w-40 truncate max-tablet:sr-only">{workspaceName}</span>
      </Link>
      {mayChoose ? <workspaceMenu.Content workspace={workspace} /> : null}
      <span aria-hidden className="mx-1 hidden h-5 w-px bg-border tablet:block" />
      <Breadcrumb workspace={workspace} tables={tables} />
      <div className="flex min-w-0 flex-1 items-center justify-end gap-1.5 tablet:flex-none">
        <WhoIsHere />
        <SyncState navigation={navigation} email={email} />
        <AriaButton
          onPress={() => onLayer('palette')}
          onHoverStart={preloadPalette}
          onFocus={preloadPalette}
          className="hidden h-8 items-center gap-2 rounded-md border border-border bg-bg px-2.5 text-small text-muted data-hovered:border-control tablet:inline-flex coarse:h-11"
        >
          <Search size={16} aria-hidden />
          <span className="max-laptop:sr-only">{words.search}</span> <Kbd>{`${modKey()} K`}</Kbd>
        </AriaButton>
        <AccountMenu name={name} email={email} onSignOut={() => onLayer('sign-out')} />
      </div>
    </header>
  )
}

/** Other users on the table, or on the full-screen record. */
function WhoIsHere(): JSX.Element | null {
  const { table, record } = useParams({ strict: false })
  const topics = usePlaceTopics()
  if (table === undefined) return null
  return <LatePeopleHere topic={record === undefined ? topics.table(table) : topics.record(table, record)} />
}

/** The sync chip with its data and actions. */
function SyncState({
  navigation,
  email,
}: {
  readonly navigation: NavigationProps
  readonly email: string
}): JSX.Element {
  const local = useLocalDatabase()
  const navigate = useNavigate()
  const { workspace, waiting, attention, counts } = navigation
  return (
    <SyncChip
      looks={useSyncLooks()}
      workspace={workspace}
      waiting={waiting}
      attention={attention}
      rows={[...counts.values()].reduce((sum, count) => sum + count, 0)}
      lastSyncedAt={useLastSyncedAt()}
      isPaused={usePause(local)}
      onPauseChange={(pause) => setPaused(local, pause)}
      onSignIn={() =>
        void navigate({ to: '/sign-in', search: { reason: 'expired', email, redirect: location.pathname } })
      }
      onConfirm={() => void navigate({ to: '/sign-in/second-factor', search: { redirect: location.pathname } })}
    />
  )
}
