import { useLocalDatabase, useUnsent } from '@holdfast/react'
import { useNavigate } from '@tanstack/react-router'
import { type JSX, lazy, Suspense } from 'react'
import { Drawer } from '../../components/drawer.tsx'
import { Logo } from '../../components/logo.tsx'
import { useBackend } from '../../lib/data/backend-context.tsx'
import { setPaused, usePause } from '../../lib/data/pause.ts'
import { shellMessages as words } from '../../messages/shell.ts'
import { CommandPalette } from './command-palette.tsx'
import type { Layer } from './layer.ts'
import { Navigation, type NavigationProps } from './side-bar.tsx'
import { useCommands } from './use-commands.tsx'

const ShortcutsDialog = lazy(async () => ({ default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog }))
const SignOutDialog = lazy(async () => ({ default: (await import('./sign-out-dialog.tsx')).SignOutDialog }))

interface LayersProps {
  readonly layer: Layer | undefined
  readonly navigation: NavigationProps
  readonly onLayer: (layer: Layer | undefined) => void
}

/** What lies over the screen: the navigation on narrow windows, the palette and the dialogs of the shell. */
export function Layers({ layer, navigation, onLayer }: LayersProps): JSX.Element {
  const { config } = useBackend()
  const unsent = useUnsent()
  const close = (): void => onLayer(undefined)
  return (
    <>
      <Drawer label={words.mainNavigation} side="left" isOpen={layer === 'drawer'} onClose={close}>
        <div className="flex h-12 shrink-0 items-center gap-2 border-b border-border px-4 font-semibold">
          <span className="flex text-accent">
            <Logo size={20} />
          </span>
          {config.project.name}
        </div>
        <Navigation {...navigation} onFollow={close} />
      </Drawer>
      {/* The dialogs are loaded with their first opening; the palette is here already: a person types at once. */}
      <Suspense>
        {layer === 'palette' ? <Palette navigation={navigation} onLayer={onLayer} /> : null}
        {layer === 'shortcuts' ? <ShortcutsDialog isOpen onClose={close} /> : null}
        {layer === 'sign-out' ? <SignOutDialog onClose={close} {...unsent} /> : null}
      </Suspense>
    </>
  )
}

function Palette({ navigation, onLayer }: Omit<LayersProps, 'layer'>): JSX.Element {
  const local = useLocalDatabase()
  const navigate = useNavigate()
  const { workspace, tables, counts, views } = navigation
  const commands = useCommands({
    workspace,
    tables,
    counts,
    views,
    isPaused: usePause(local),
    onPauseChange: (pause) => setPaused(local, pause),
    onShortcuts: () => onLayer('shortcuts'),
    onSignOut: () => onLayer('sign-out'),
  })
  return (
    <CommandPalette
      isOpen
      onClose={() => onLayer(undefined)}
      commands={commands}
      onOpenRecord={(table, record) =>
        void navigate({ to: '/w/$ws/t/$table/r/$record', params: { ws: workspace, table, record } })
      }
      onSearch={(text) => void navigate({ to: '/w/$ws/search', params: { ws: workspace }, search: { q: text } })}
    />
  )
}
