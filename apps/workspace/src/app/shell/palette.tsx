import { useLocalDatabase } from '@holdfast/react'
import { useNavigate } from '@tanstack/react-router'
import type { JSX } from 'react'
import { setPaused, usePause } from '../../lib/data/pause.ts'
import { CommandPalette } from './command-palette.tsx'
import type { Layer } from './layer.ts'
import type { NavigationProps } from './side-bar.tsx'
import { useDashboards, useHasDashboards } from '../../lib/dashboards/use-dashboards.ts'
import { useWorkspace } from '../../lib/records/use-workspace.ts'
import { useCommands } from './use-commands.tsx'

/** The palette with the commands available here. */
export function Palette({
  navigation,
  onLayer,
  typed,
}: {
  readonly navigation: NavigationProps
  readonly onLayer: (layer: Layer | undefined) => void
  /** Text typed before the palette loaded. */
  readonly typed: string
}): JSX.Element {
  const local = useLocalDatabase()
  const navigate = useNavigate()
  const hasDashboards = useHasDashboards()
  const { dashboards } = useDashboards(useWorkspace()?.id)
  const { workspace, tables, counts, views } = navigation
  const commands = useCommands({
    workspace,
    tables,
    counts,
    views,
    dashboards: hasDashboards ? dashboards : undefined,
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
      typed={typed}
      onOpenRecord={(table, record) =>
        void navigate({ to: '/w/$ws/t/$table/r/$record', params: { ws: workspace, table, record } })
      }
      onSearch={(text) => void navigate({ to: '/w/$ws/search', params: { ws: workspace }, search: { q: text } })}
    />
  )
}
