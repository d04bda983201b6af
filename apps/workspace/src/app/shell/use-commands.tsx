import { useNavigate } from '@tanstack/react-router'
import {
  FilePlus2,
  FileUp,
  House,
  LayoutTemplate,
  Keyboard,
  KeyRound,
  LayoutDashboard,
  ListFilter,
  ListTodo,
  LogOut,
  type LucideIcon,
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
  Zap,
} from 'lucide-react'
import { TableIcon } from '../../components/table-icon.tsx'
import { setAppearance, THEMES } from '../../lib/appearance.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { formatCount } from '../../lib/format.ts'
import { canChange, useWorkspace } from '../../lib/records/use-workspace.ts'
import type { SavedView } from '../../lib/views/use-views.ts'
import type { ListedDashboard } from '../../lib/dashboards/use-dashboards.ts'
import { dashboardMessages } from '../../messages/dashboard.ts'
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
  /** `undefined`: the server has none. */
  readonly dashboards: readonly ListedDashboard[] | undefined
  readonly isPaused: boolean
  readonly onPauseChange: (isPaused: boolean) => void
  readonly onShortcuts: () => void
  readonly onSignOut: () => void
}

type Navigate = ReturnType<typeof useNavigate>

/** Returns all palette commands except records. */
export function useCommands(options: CommandsOptions): readonly PaletteCommand[] {
  const navigate = useNavigate()
  const workspace = useWorkspace()
  return [
    ...tableCommands(options, navigate),
    ...viewCommands(options, navigate),
    ...dashboardCommands(options, navigate),
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

/** Returns commands for the saved views of the visible tables. */
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

function dashboardCommands({ workspace, dashboards }: CommandsOptions, navigate: Navigate): readonly PaletteCommand[] {
  if (!dashboards) return []
  const open = (id: string) => (): void =>
    void navigate({ to: '/w/$ws/d/$dashboard', params: { ws: workspace, dashboard: id } })
  return [
    ...dashboards.map(({ id, name }) => ({
      id: `dashboard:${id}`,
      label: name,
      keywords: 'dashboard chart report',
      section: dashboardMessages.dashboards,
      icon: <LayoutDashboard {...ICON} />,
      run: open(id),
    })),
    {
      id: 'new-dashboard',
      label: dashboardMessages.newDashboard,
      keywords: 'create make add chart report figures',
      section: dashboardMessages.dashboards,
      icon: <LayoutDashboard {...ICON} />,
      run: open('new'),
    },
  ]
}

/** Returns a command that opens a screen. */
function goTo(id: string, label: string, Icon: LucideIcon, keywords: string, run: () => Promise<void>): PaletteCommand {
  return { id, label, keywords, section: words.goTo, icon: <Icon {...ICON} />, run: () => void run() }
}

function newTableCommands({ workspace }: CommandsOptions, navigate: Navigate): readonly PaletteCommand[] {
  const params = { ws: workspace }
  return [
    goTo('new-table', words.newTable, FilePlus2, 'create make add empty', () =>
      navigate({ to: '/w/$ws/new-table', params }),
    ),
    goTo(
      'new-table-from-file',
      words.newTableFromFile,
      FilePlus2,
      'create make table csv xlsx excel spreadsheet import',
      () => navigate({ to: '/w/$ws/import', params, search: { new: true } }),
    ),
    goTo('templates', words.templates, LayoutTemplate, 'create make new table gallery example sample', () =>
      navigate({ to: '/w/$ws/templates', params }),
    ),
  ]
}

/** Returns commands for the workspace's screens. */
function workspaceCommands({ workspace }: CommandsOptions, navigate: Navigate): readonly PaletteCommand[] {
  const params = { ws: workspace }
  return [
    goTo('home', words.goHome, House, '', () => navigate({ to: '/w/$ws', params })),
    goTo('my-work', shellMessages.myWork, ListTodo, 'assigned tasks overdue due today', () =>
      navigate({ to: '/w/$ws/my-work', params }),
    ),
    goTo('search', words.goSearch, Search, 'find words comments', () => navigate({ to: '/w/$ws/search', params })),
    goTo('people', shellMessages.people, Users, 'members invite invitations roles teams guests workspace', () =>
      navigate({ to: '/w/$ws/people', params }),
    ),
    goTo('automations', shellMessages.automations, Zap, 'workflow rules triggers notify automatic', () =>
      navigate({ to: '/w/$ws/automations', params }),
    ),
    goTo('import', importMessages.title, FileUp, 'import csv xlsx excel spreadsheet upload', () =>
      navigate({ to: '/w/$ws/import', params }),
    ),
    goTo('sync', words.goSync, RefreshCw, 'outbox waiting unsent queue', () => navigate({ to: '/w/$ws/sync', params })),
    goTo('attention', words.goAttention, TriangleAlert, 'rejected refused conflict not accepted', () =>
      navigate({ to: '/w/$ws/sync', params, search: { tab: 'attention' } }),
    ),
    goTo('device', words.goDevice, Smartphone, 'storage space re-sync wipe', () =>
      navigate({ to: '/w/$ws/sync', params, search: { tab: 'device' } }),
    ),
  ]
}

function accountCommands(navigate: Navigate): readonly PaletteCommand[] {
  return [
    goTo('account', shellMessages.yourAccount, UserRound, 'profile name e-mail phone', () =>
      navigate({ to: '/account' }),
    ),
    goTo(
      'security',
      shellMessages.accountSecurity,
      ShieldCheck,
      'account password second factor step passkey authenticator',
      () => navigate({ to: '/account/security' }),
    ),
    goTo('sign-ins', shellMessages.accountSignIns, MonitorSmartphone, 'account sessions devices signed in', () =>
      navigate({ to: '/account/sign-ins' }),
    ),
    goTo(
      'identities',
      shellMessages.accountIdentities,
      KeyRound,
      'account identities linked provider google github',
      () => navigate({ to: '/account/identities' }),
    ),
    goTo('appearance', shellMessages.appearance, Palette, 'settings density motion dark light', () =>
      navigate({ to: '/account/appearance' }),
    ),
  ]
}

/** Returns commands of the app itself. */
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
