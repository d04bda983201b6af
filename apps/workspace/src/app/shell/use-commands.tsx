import { useNavigate } from '@tanstack/react-router'
import {
  FilePlus2,
  FileUp,
  House,
  Keyboard,
  KeyRound,
  ListFilter,
  ListTodo,
  LogOut,
  MonitorSmartphone,
  Palette,
  Pause,
  Play,
  RefreshCw,
  Search,
  ShieldCheck,
  Smartphone,
  TriangleAlert,
  UserRound,
  Users,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { TableIcon } from '../../components/table-icon.tsx'
import { setAppearance, THEMES } from '../../lib/appearance.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { formatCount } from '../../lib/format.ts'
import { canChange, useWorkspace } from '../../lib/records/use-workspace.ts'
import type { SavedView } from '../../lib/views/use-views.ts'
import { importMessages } from '../../messages/import.ts'
import { paletteMessages as words } from '../../messages/palette.ts'
import { shellMessages } from '../../messages/shell.ts'
import type { PaletteCommand } from './palette-command.ts'

const ICON = { size: 16, 'aria-hidden': true } as const

export interface CommandsOptions {
  readonly workspace: string
  readonly tables: readonly TableInfo[]
  readonly counts: ReadonlyMap<string, number>
  readonly views: readonly SavedView[]
  readonly isPaused: boolean
  readonly onPauseChange: (isPaused: boolean) => void
  readonly onShortcuts: () => void
  readonly onSignOut: () => void
}

type Navigate = ReturnType<typeof useNavigate>

/** Everything the palette can do besides finding records. */
export function useCommands(options: CommandsOptions): readonly PaletteCommand[] {
  const navigate = useNavigate()
  const workspace = useWorkspace()
  return [
    ...tableCommands(options, navigate),
    ...viewCommands(options, navigate),
    ...workspaceCommands(options, navigate),
    ...(workspace && canChange(workspace) ? newTableCommands(options, navigate) : []),
    ...accountCommands(navigate),
    ...appCommands(options),
  ]
}

function tableCommands({ workspace, tables, counts }: CommandsOptions, navigate: Navigate): readonly PaletteCommand[] {
  return tables.map((table) => {
    const count = counts.get(table.name)
    return {
      id: `table:${table.name}`,
      label: table.label,
      keywords: `${table.name} table`,
      section: words.tables,
      icon: <TableIcon table={table} />,
      ...(count === undefined ? {} : { detail: formatCount(count) }),
      run: () => void navigate({ to: '/w/$ws/t/$table', params: { ws: workspace, table: table.name } }),
    }
  })
}

/** Saved views of the tables that the person sees. */
function viewCommands({ workspace, tables, views }: CommandsOptions, navigate: Navigate): readonly PaletteCommand[] {
  const labels = new Map(tables.map(({ name, label }) => [name, label]))
  return views.flatMap(({ id, name, table }) => {
    const label = labels.get(table)
    if (label === undefined) return []
    return [
      {
        id: `view:${id}`,
        label: name,
        keywords: `${label} ${table} view`,
        section: words.views,
        icon: <ListFilter {...ICON} />,
        detail: label,
        run: () => void navigate({ to: '/w/$ws/t/$table/v/$view', params: { ws: workspace, table, view: id } }),
      },
    ]
  })
}

function newTableCommands({ workspace }: CommandsOptions, navigate: Navigate): readonly PaletteCommand[] {
  const params = { ws: workspace }
  return [
    {
      id: 'new-table',
      label: words.newTable,
      keywords: 'create make add empty',
      section: words.goTo,
      icon: <FilePlus2 {...ICON} />,
      run: () => void navigate({ to: '/w/$ws/new-table', params }),
    },
    {
      id: 'new-table-from-file',
      label: words.newTableFromFile,
      keywords: 'create make table csv xlsx excel spreadsheet import',
      section: words.goTo,
      icon: <FilePlus2 {...ICON} />,
      run: () => void navigate({ to: '/w/$ws/import', params, search: { new: true } }),
    },
  ]
}

/** The screens of the workspace. */
function workspaceCommands({ workspace }: CommandsOptions, navigate: Navigate): readonly PaletteCommand[] {
  const params = { ws: workspace }
  return [
    {
      id: 'home',
      label: words.goHome,
      section: words.goTo,
      icon: <House {...ICON} />,
      run: () => void navigate({ to: '/w/$ws', params }),
    },
    {
      id: 'my-work',
      label: shellMessages.myWork,
      keywords: 'assigned tasks overdue due today',
      section: words.goTo,
      icon: <ListTodo {...ICON} />,
      run: () => void navigate({ to: '/w/$ws/my-work', params }),
    },
    {
      id: 'search',
      label: words.goSearch,
      keywords: 'find words comments',
      section: words.goTo,
      icon: <Search {...ICON} />,
      run: () => void navigate({ to: '/w/$ws/search', params }),
    },
    {
      id: 'people',
      label: shellMessages.people,
      keywords: 'members invite invitations roles teams guests workspace',
      section: words.goTo,
      icon: <Users {...ICON} />,
      run: () => void navigate({ to: '/w/$ws/people', params }),
    },
    {
      id: 'import',
      label: importMessages.title,
      keywords: 'import csv xlsx excel spreadsheet upload',
      section: words.goTo,
      icon: <FileUp {...ICON} />,
      run: () => void navigate({ to: '/w/$ws/import', params }),
    },
    {
      id: 'sync',
      label: words.goSync,
      keywords: 'outbox waiting unsent queue',
      section: words.goTo,
      icon: <RefreshCw {...ICON} />,
      run: () => void navigate({ to: '/w/$ws/sync', params }),
    },
    {
      id: 'attention',
      label: words.goAttention,
      keywords: 'rejected refused conflict not accepted',
      section: words.goTo,
      icon: <TriangleAlert {...ICON} />,
      run: () => void navigate({ to: '/w/$ws/sync', params, search: { tab: 'attention' } }),
    },
    {
      id: 'device',
      label: words.goDevice,
      keywords: 'storage space re-sync wipe',
      section: words.goTo,
      icon: <Smartphone {...ICON} />,
      run: () => void navigate({ to: '/w/$ws/sync', params, search: { tab: 'device' } }),
    },
  ]
}

const ACCOUNT_SCREENS: readonly {
  readonly id: string
  readonly label: string
  readonly keywords: string
  readonly icon: ReactNode
  readonly to: '/account' | '/account/security' | '/account/sign-ins' | '/account/identities' | '/account/appearance'
}[] = [
  {
    id: 'account',
    label: shellMessages.yourAccount,
    keywords: 'profile name e-mail phone',
    icon: <UserRound {...ICON} />,
    to: '/account',
  },
  {
    id: 'security',
    label: shellMessages.accountSecurity,
    keywords: 'account password second factor step passkey authenticator',
    icon: <ShieldCheck {...ICON} />,
    to: '/account/security',
  },
  {
    id: 'sign-ins',
    label: shellMessages.accountSignIns,
    keywords: 'account sessions devices signed in',
    icon: <MonitorSmartphone {...ICON} />,
    to: '/account/sign-ins',
  },
  {
    id: 'identities',
    label: shellMessages.accountIdentities,
    keywords: 'account identities linked provider google github',
    icon: <KeyRound {...ICON} />,
    to: '/account/identities',
  },
  {
    id: 'appearance',
    label: shellMessages.appearance,
    keywords: 'settings density motion dark light',
    icon: <Palette {...ICON} />,
    to: '/account/appearance',
  },
]

function accountCommands(navigate: Navigate): readonly PaletteCommand[] {
  return ACCOUNT_SCREENS.map(({ to, ...screen }) => ({
    ...screen,
    section: words.goTo,
    run: () => void navigate({ to }),
  }))
}

/** What the app itself does. */
function appCommands({ isPaused, onPauseChange, onShortcuts, onSignOut }: CommandsOptions): readonly PaletteCommand[] {
  return [
    {
      id: 'shortcuts',
      label: shellMessages.shortcuts,
      keywords: 'keys help',
      section: words.commands,
      icon: <Keyboard {...ICON} />,
      run: onShortcuts,
    },
    {
      id: 'pause',
      label: isPaused ? words.resumeSync : words.pauseSync,
      keywords: 'offline online metered connection',
      section: words.commands,
      icon: isPaused ? <Play {...ICON} /> : <Pause {...ICON} />,
      run: () => onPauseChange(!isPaused),
    },
    ...THEMES.map((theme): PaletteCommand => ({
      id: `theme:${theme}`,
      label: words.themeOf(shellMessages.themes[theme]),
      keywords: `theme ${theme}`,
      section: words.commands,
      icon: <Palette {...ICON} />,
      run: () => setAppearance({ theme }),
    })),
    {
      id: 'sign-out',
      label: words.signOut,
      keywords: 'log out leave',
      section: words.commands,
      icon: <LogOut {...ICON} />,
      run: onSignOut,
    },
  ]
}
