import { Link, Outlet, useLocation } from '@tanstack/react-router'
import {
  Bell,
  Building2,
  ChevronLeft,
  CloudOff,
  KeyRound,
  Keyboard,
  MonitorSmartphone,
  Palette,
  ShieldCheck,
  UserRound,
} from 'lucide-react'
import { type JSX, type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { LinkButton } from '../../components/link.tsx'
import { Notice } from '../../components/notice.tsx'
import { accountMessages as words } from '../../messages/account.ts'
import { AccountProvider, useAccount } from './account-context.tsx'
import { StepUpProvider } from './step-up.tsx'

const ICON = { size: 18, strokeWidth: 1.75, 'aria-hidden': true } as const

/** The account screens in navigation order. */
export const ACCOUNT_PLACES = [
  { to: '/account', key: 'profile', icon: <UserRound {...ICON} /> },
  { to: '/account/security', key: 'security', icon: <ShieldCheck {...ICON} /> },
  { to: '/account/sign-ins', key: 'signIns', icon: <MonitorSmartphone {...ICON} /> },
  { to: '/account/identities', key: 'identities', icon: <KeyRound {...ICON} /> },
  { to: '/account/notifications', key: 'notifications', icon: <Bell {...ICON} /> },
  { to: '/account/appearance', key: 'appearance', icon: <Palette {...ICON} /> },
  { to: '/account/workspace', key: 'workspace', icon: <Building2 {...ICON} /> },
  { to: '/account/shortcuts', key: 'shortcuts', icon: <Keyboard {...ICON} /> },
] as const

/** Layout of the account screens: navigation beside them, or a link back above them on narrow screens. */
export function AccountLayout(): JSX.Element {
  const isFirst = useLocation({ select: ({ pathname }) => /^\/account\/?$/.test(pathname) })
  return (
    <AccountProvider>
      <StepUpProvider>
        <div className="mx-auto flex w-full max-w-5xl">
          <nav
            aria-label={words.navigation}
            className="sticky top-0 hidden w-56 shrink-0 self-start py-7 pl-8 laptop:block"
          >
            <ul className="flex flex-col gap-px">
              {ACCOUNT_PLACES.map(({ to, key, icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    activeOptions={{ exact: true }}
                    className="focus-inset flex h-9 items-center gap-2.5 rounded-md px-2.5 text-body text-text no-underline transition-colors hover:bg-hover aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent coarse:h-11"
                  >
                    {icon}
                    {words.places[key].label}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <div className="min-w-0 flex-1">
            {isFirst ? null : (
              <Link
                to="/account"
                className="-mb-2 ml-2 inline-flex h-11 items-center gap-1 rounded-md px-2 text-accent no-underline laptop:hidden"
              >
                <ChevronLeft size={18} aria-hidden />
                {words.back}
              </Link>
            )}
            <Outlet />
          </div>
        </div>
      </StepUpProvider>
    </AccountProvider>
  )
}

/** Shows what blocks every account screen: no connection, no session or a failed read. */
export function AccountState({ children }: { readonly children: ReactNode }): JSX.Element {
  const { blocked, error, user, reload } = useAccount()
  const { pathname } = useLocation()
  const isExpired = blocked === 'expired'
  // The screen stays when the session ends, because input and new recovery codes would be lost.
  const [hasBegun] = useState(!isExpired)
  const expired = isExpired ? <Expired redirect={pathname} /> : null
  if (expired && !hasBegun) return expired
  return (
    <div className="flex flex-col gap-9">
      {expired}
      {blocked === 'offline' ? (
        <p role="status" className="flex items-center gap-2.5 rounded-lg bg-warning-soft px-4 py-3 text-warning">
          <CloudOff size={18} aria-hidden />
          <span className="text-text">{words.offline}</span>
        </p>
      ) : null}
      {error !== undefined && blocked === undefined ? (
        <Notice
          tone="warning"
          role="status"
          title={words.notLoaded}
          actions={
            <Button size="sm" onPress={() => void reload()}>
              {words.tryAgain}
            </Button>
          }
        >
          {user === undefined ? null : words.notLoadedDetail}
        </Notice>
      ) : null}
      {children}
    </div>
  )
}

/** Says that the session has ended, with a link that leads back to this screen after signing in. */
function Expired({ redirect }: { readonly redirect: string }): JSX.Element {
  return (
    <Notice
      tone="warning"
      role="status"
      title={words.expiredTitle}
      actions={
        <LinkButton to="/sign-in" search={{ reason: 'expired', redirect }} tone="primary" size="sm">
          {words.signInAgain}
        </LinkButton>
      }
    >
      {words.expiredDetail}
    </Notice>
  )
}
