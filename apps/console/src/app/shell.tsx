import { Link, Outlet, useRouter } from '@tanstack/react-router'
import {
  BookOpen,
  Files,
  CalendarClock,
  History,
  KeyRound,
  LayoutDashboard,
  Lightbulb,
  Menu as MenuIcon,
  MonitorSmartphone,
  Radio,
  ScrollText,
  Settings,
  ShieldCheck,
  SquareTerminal,
  Table2,
  UserRound,
  UsersRound,
  X,
  Zap,
} from 'lucide-react'
import { type JSX, type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import type { OperatorRole } from '@holdfast/protocol'
import { IconButton, Logo, ToastRegion } from '@holdfast/workspace'
import { useHasRole, useOperator, useSession } from '../lib/session.ts'

interface Entry {
  readonly to: string
  readonly label: string
  readonly icon: ReactNode
  readonly role: OperatorRole
}

const ICON = { size: 16, 'aria-hidden': true } as const

/** Entries of the navigation. What a role may not open is not shown. */
const ENTRIES: readonly Entry[] = [
  { to: '/', label: 'Overview', icon: <LayoutDashboard {...ICON} />, role: 'viewer' },
  { to: '/tables', label: 'Tables', icon: <Table2 {...ICON} />, role: 'viewer' },
  { to: '/policies', label: 'Policies', icon: <KeyRound {...ICON} />, role: 'viewer' },
  { to: '/users', label: 'Users', icon: <UsersRound {...ICON} />, role: 'viewer' },
  { to: '/devices', label: 'Devices', icon: <MonitorSmartphone {...ICON} />, role: 'viewer' },
  { to: '/functions', label: 'Functions', icon: <Zap {...ICON} />, role: 'viewer' },
  { to: '/files', label: 'Files', icon: <Files {...ICON} />, role: 'viewer' },
  { to: '/realtime', label: 'Realtime', icon: <Radio {...ICON} />, role: 'viewer' },
  { to: '/logs', label: 'Logs', icon: <ScrollText {...ICON} />, role: 'viewer' },
  { to: '/jobs', label: 'Jobs', icon: <CalendarClock {...ICON} />, role: 'viewer' },
  { to: '/sql', label: 'SQL', icon: <SquareTerminal {...ICON} />, role: 'developer' },
  { to: '/advisors', label: 'Advisors', icon: <Lightbulb {...ICON} />, role: 'viewer' },
  { to: '/audit', label: 'Audit log', icon: <History {...ICON} />, role: 'developer' },
  { to: '/operators', label: 'Operators', icon: <ShieldCheck {...ICON} />, role: 'owner' },
  { to: '/settings', label: 'Settings', icon: <Settings {...ICON} />, role: 'viewer' },
  { to: '/account', label: 'Your account', icon: <UserRound {...ICON} />, role: 'viewer' },
]

/** Navigation beside the screen; behind a button on phones. Moves focus to the heading of a new screen. */
export function Shell(): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const main = useRef<HTMLElement>(null)
  const router = useRouter()
  // On phones the screen is hidden until the navigation has closed.
  const showScreen = useCallback((): void => {
    setOpen(false)
    requestAnimationFrame(() => main.current?.querySelector('h1')?.focus())
  }, [])
  // Navigation is external to React.
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (pathChanged && fromLocation) showScreen()
      }),
    [router, showScreen],
  )
  const { data } = useSession()
  return (
    <div className="flex h-full flex-col">
      <a href="#content" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-bg focus:p-2">
        Skip to content
      </a>
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-border bg-surface px-3.5 coarse:h-14">
        <span className="laptop:hidden">
          <IconButton
            label={isOpen ? 'Close navigation' : 'Open navigation'}
            aria-expanded={isOpen}
            icon={isOpen ? <X size={18} aria-hidden /> : <MenuIcon size={18} aria-hidden />}
            onPress={() => setOpen(!isOpen)}
          />
        </span>
        <span className="flex text-accent">
          <Logo size={20} />
        </span>
        <span className="min-w-0 truncate font-semibold">{data?.projectName}</span>
        <span className="rounded-full bg-sunken px-2 text-small text-muted">Console</span>
      </header>
      <div className="flex min-h-0 flex-1">
        <Navigation isOpen={isOpen} onChoose={showScreen} />
        <main
          id="content"
          ref={main}
          tabIndex={-1}
          className={`min-w-0 flex-1 overflow-auto bg-bg ${isOpen ? 'max-laptop:hidden' : ''}`}
        >
          <Outlet />
        </main>
      </div>
      <ToastRegion />
    </div>
  )
}

function Navigation({
  isOpen,
  onChoose,
}: {
  readonly isOpen: boolean
  /** Called for every choice, also of the screen that is open. */
  readonly onChoose: () => void
}): JSX.Element {
  const operator = useOperator()
  const roles = { viewer: true, developer: useHasRole('developer'), owner: useHasRole('owner') }
  return (
    <nav
      aria-label="Console"
      className={`flex w-60 shrink-0 flex-col gap-0.5 overflow-auto border-r border-border bg-surface p-2 max-laptop:w-full max-laptop:border-r-0 ${isOpen ? '' : 'max-laptop:hidden'}`}
    >
      {ENTRIES.filter(({ role }) => roles[role]).map(({ to, label, icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === '/' }}
          onClick={onChoose}
          className="flex h-8 items-center gap-2.5 rounded-md px-2.5 text-muted hover:bg-hover hover:text-text coarse:h-11"
          activeProps={{ className: 'bg-accent-soft font-medium text-accent!', 'aria-current': 'page' }}
        >
          {icon}
          {label}
        </Link>
      ))}
      <a
        href="/docs/"
        className="mt-auto flex h-8 items-center gap-2.5 rounded-md px-2.5 text-muted hover:bg-hover hover:text-text coarse:h-11"
      >
        <BookOpen {...ICON} />
        Docs
      </a>
      <p className="truncate px-2.5 py-1 text-small text-subtle" title={operator.email}>
        {operator.name} · {operator.role}
      </p>
    </nav>
  )
}
