import { useTables } from '../../lib/data/use-tables.ts'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Menu as MenuIcon, Search } from 'lucide-react'
import { type JSX, lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { Link } from '@tanstack/react-router'
import { Drawer } from '../../components/drawer.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Kbd } from '../../components/kbd.tsx'
import { Logo } from '../../components/logo.tsx'
import { showToast, ToastRegion } from '../../components/toast.tsx'
import { useHotkeys } from '../../hooks/use-hotkeys.ts'
import { useIncompleteTables, useValue, useLastSyncedAt, useLocalDatabase, useUnsent } from '@holdfast/react'
import { rememberWaiting, useAccounts } from '../../lib/data/accounts.ts'
import { nameFromEmail } from '../../lib/data/backend.ts'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { setPaused, usePause } from '../../lib/data/pause.ts'
import { useAskPersistence } from '../../lib/data/use-ask-persistence.ts'
import { useSyncLooks } from '../../lib/data/use-sync-looks.ts'
import { useTableCounts } from '../../lib/data/use-table-counts.ts'
import { modKey } from '../../lib/shortcuts.ts'
import { shellMessages as words } from '../../messages/shell.ts'
import { AccountMenu } from './account-menu.tsx'
import { Banners } from './banners.tsx'
import { BottomBar } from './bottom-bar.tsx'
import { Breadcrumb } from './breadcrumb.tsx'
import { CommandPalette } from './command-palette.tsx'
import { Navigation, SideBar } from './side-bar.tsx'
import { SyncChip } from './sync-chip.tsx'
import { useCommands } from './use-commands.tsx'
import { useSideBar } from './use-side-bar.ts'

const ShortcutsDialog = lazy(async () => ({ default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog }))
const SignOutDialog = lazy(async () => ({ default: (await import('./sign-out-dialog.tsx')).SignOutDialog }))

type Layer = 'palette' | 'shortcuts' | 'sign-out' | 'drawer'

/** The frame of every screen: top bar, navigation, banners, and the layers that any screen can open. */
export function Shell({ children }: { readonly children: ReactNode }): JSX.Element {
  const { config, client } = useBackend()
  const local = useLocalDatabase()
  const tables = useTables()
  const workspace = useParams({ strict: false }).ws ?? config.project.slug
  const session = useValue(client.session)
  const counts = useTableCounts()
  const { waiting, attention } = useUnsent()
  const needing = attention + useIncompleteTables().length
  const lastSyncedAt = useLastSyncedAt()
  const isPaused = usePause(local)
  const [layer, setLayer] = useState<Layer>()
  const [isNarrow, setNarrow] = useSideBar()
  const navigate = useNavigate()
  const account = useAccounts(({ accounts }) => accounts.find(({ userId }) => userId === local.userId))
  const email = account?.email ?? ('user' in session ? (session.user.email ?? '') : '')
  const name = account?.name ?? nameFromEmail(email)
  const looks = useSyncLooks()
  const close = (): void => setLayer(undefined)
  const params = { ws: workspace }

  useAskPersistence(waiting > 0)

  // The sign-in screen's list is outside of this account's database.
  useEffect(() => rememberWaiting(local.userId, waiting + attention), [local.userId, waiting, attention])

  const commands = useCommands({
    workspace,
    tables,
    counts,
    isPaused,
    onPauseChange: (pause) => setPaused(local, pause),
    onShortcuts: () => setLayer('shortcuts'),
    onSignOut: () => setLayer('sign-out'),
  })
  useHotkeys({
    'mod+k': () => setLayer(layer === 'palette' ? undefined : 'palette'),
    'mod+/': () => setLayer('shortcuts'),
    '?': () => setLayer('shortcuts'),
    '/': () => setLayer('palette'),
    'g t': () => setLayer('palette'),
    'g h': () => void navigate({ to: '/w/$ws', params }),
    'g y': () => void navigate({ to: '/w/$ws/sync', params }),
    'mod+s': () => showToast({ text: words.nothingToSave(waiting, lastSyncedAt) }),
  })

  const navigation = { workspace, tables, counts, attention: needing, waiting }
  return (
    <div className="flex h-full flex-col">
      <header className="flex h-12 shrink-0 items-center gap-1.5 border-b border-border bg-surface px-2 coarse:h-14 laptop:px-3">
        <IconButton
          label={words.openNavigation}
          icon={<MenuIcon size={20} aria-hidden />}
          onPress={() => setLayer('drawer')}
          className="laptop:hidden"
        />
        <Link
          to="/w/$ws"
          params={params}
          className="flex h-8 min-w-0 items-center gap-2 rounded-md px-1.5 text-body font-semibold text-text no-underline hover:bg-hover coarse:h-11"
        >
          <span className="flex text-accent">
            <Logo size={20} />
          </span>
          <span className="max-w-40 truncate max-tablet:sr-only">{config.project.name}</span>
        </Link>
        <span aria-hidden className="mx-1 hidden h-5 w-px bg-border tablet:block" />
        <Breadcrumb workspace={workspace} tables={tables} />
        <div className="flex flex-1 items-center justify-end gap-1.5 tablet:flex-none">
          <SyncChip
            looks={looks}
            workspace={workspace}
            waiting={waiting}
            attention={needing}
            rows={[...counts.values()].reduce((sum, count) => sum + count, 0)}
            lastSyncedAt={lastSyncedAt}
            isPaused={isPaused}
            onPauseChange={(pause) => setPaused(local, pause)}
            onSignIn={() =>
              void navigate({ to: '/sign-in', search: { reason: 'expired', email, redirect: location.pathname } })
            }
            onConfirm={() => void navigate({ to: '/sign-in/second-factor', search: { redirect: location.pathname } })}
          />
          <AriaButton
            onPress={() => setLayer('palette')}
            className="hidden h-8 items-center gap-2 rounded-md border border-border bg-bg px-2.5 text-small text-muted data-hovered:border-control tablet:inline-flex coarse:h-11"
          >
            <Search size={16} aria-hidden />
            <span className="max-laptop:sr-only">{words.search}</span> <Kbd>{`${modKey()} K`}</Kbd>
          </AriaButton>
          <AccountMenu name={name} email={email} onSignOut={() => setLayer('sign-out')} />
        </div>
      </header>
      <Banners />
      <div className="flex min-h-0 flex-1">
        <SideBar {...navigation} isNarrow={isNarrow} onNarrowChange={setNarrow} />
        <main id="content" tabIndex={-1} className="relative min-h-0 min-w-0 flex-1 overflow-auto bg-bg">
          {children}
        </main>
      </div>
      <BottomBar
        workspace={workspace}
        attention={attention}
        onTables={() => setLayer('drawer')}
        onSearch={() => setLayer('palette')}
      />
      <Drawer label={words.mainNavigation} side="left" isOpen={layer === 'drawer'} onClose={close}>
        <div className="flex h-12 shrink-0 items-center gap-2 border-b border-border px-4 font-semibold">
          <span className="flex text-accent">
            <Logo size={20} />
          </span>
          {config.project.name}
        </div>
        <Navigation {...navigation} onFollow={close} />
      </Drawer>
      <ToastRegion />
      {/* These are loaded with their first opening; the palette is here already, for nobody waits before typing. */}
      <Suspense>
        {layer === 'palette' ? (
          <CommandPalette
            isOpen
            onClose={close}
            commands={commands}
            onOpenRecord={(table, record) =>
              void navigate({ to: '/w/$ws/t/$table/r/$record', params: { ...params, table, record } })
            }
          />
        ) : null}
        {layer === 'shortcuts' ? <ShortcutsDialog isOpen onClose={close} /> : null}
        {layer === 'sign-out' ? <SignOutDialog onClose={close} waiting={waiting} attention={attention} /> : null}
      </Suspense>
    </div>
  )
}
