import { useNavigate } from '@tanstack/react-router'
import {
  House,
  Keyboard,
  KeyRound,
  LogOut,
  MonitorSmartphone,
  Palette,
  Pause,
  Play,
  RefreshCw,
  ShieldCheck,
  Smartphone,
  Table2,
  TriangleAlert,
  UserRound,
} from 'lucide-react'
import { setAppearance, THEMES } from '../../lib/appearance.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { formatCount } from '../../lib/format.ts'
import { paletteMessages as words } from '../../messages/palette.ts'
import { shellMessages } from '../../messages/shell.ts'
import type { PaletteCommand } from './command-palette.tsx'

const ICON = { size: 16, 'aria-hidden': true } as const

/** Everything the palette can do besides finding records. */
export function useCommands({
  workspace,
  tables,
  counts,
  isPaused,
  onPauseChange,
  onShortcuts,
  onSignOut,
}: {
  readonly workspace: string
  readonly tables: readonly TableInfo[]
  readonly counts: ReadonlyMap<string, number>
  readonly isPaused: boolean
  readonly onPauseChange: (isPaused: boolean) => void
  readonly onShortcuts: () => void
  readonly onSignOut: () => void
}): readonly PaletteCommand[] {
  const navigate = useNavigate()
  const params = { ws: workspace }
  return [
    ...tables.map((table): PaletteCommand => {
      const count = counts.get(table.name)
      return {
        id: `table:${table.name}`,
        label: table.label,
        keywords: `${table.name} table`,
        section: words.tables,
        icon: <Table2 {...ICON} />,
        ...(count === undefined ? {} : { detail: formatCount(count) }),
        run: () => void navigate({ to: '/w/$ws/t/$table', params: { ...params, table: table.name } }),
      }
    }),
    {
      id: 'home',
      label: words.goHome,
      section: words.goTo,
      icon: <House {...ICON} />,
      run: () => void navigate({ to: '/w/$ws', params }),
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
    {
      id: 'account',
      label: shellMessages.yourAccount,
      keywords: 'profile name e-mail phone',
      section: words.goTo,
      icon: <UserRound {...ICON} />,
      run: () => void navigate({ to: '/account' }),
    },
    {
      id: 'security',
      label: shellMessages.accountSecurity,
      keywords: 'account password second factor step passkey authenticator',
      section: words.goTo,
      icon: <ShieldCheck {...ICON} />,
      run: () => void navigate({ to: '/account/security' }),
    },
    {
      id: 'sign-ins',
      label: shellMessages.accountSignIns,
      keywords: 'account sessions devices signed in',
      section: words.goTo,
      icon: <MonitorSmartphone {...ICON} />,
      run: () => void navigate({ to: '/account/sign-ins' }),
    },
    {
      id: 'identities',
      label: shellMessages.accountIdentities,
      keywords: 'account identities linked provider google github',
      section: words.goTo,
      icon: <KeyRound {...ICON} />,
      run: () => void navigate({ to: '/account/identities' }),
    },
    {
      id: 'appearance',
      label: shellMessages.appearance,
      keywords: 'settings density motion dark light',
      section: words.goTo,
      icon: <Palette {...ICON} />,
      run: () => void navigate({ to: '/account/appearance' }),
    },
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
