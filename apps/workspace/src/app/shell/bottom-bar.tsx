import { useHasSynced } from '@holdfast/react'
import { Link } from '@tanstack/react-router'
import { CirclePlus, House, Inbox, RefreshCw, Search, Table2 } from 'lucide-react'
import { type JSX, type ReactNode, useEffect } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { useMediaQuery } from '../../hooks/use-media-query.ts'
import { shellMessages as words } from '../../messages/shell.ts'
import { LateUnreadCount } from './side-bar.tsx'

const itemClass =
  'focus-inset relative flex h-14 min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-small text-muted no-underline aria-[current=page]:text-accent'

/** Replaces the side bar on phones: six destinations in reach of the thumb. */
export function BottomBar({
  workspace,
  attention,
  onTables,
  onSearch,
}: {
  readonly workspace: string
  readonly attention: number
  readonly onTables: () => void
  readonly onSearch: () => void
}): JSX.Element {
  const params = { ws: workspace }
  // The first sync needs the network, and in a wide window the side bar has the count.
  const hasSynced = useHasSynced()
  const isPhone = useMediaQuery('(max-width: 599px)')
  // Phones scan labels, possibly offline. The service worker is outside React.
  useEffect(() => {
    if (isPhone && hasSynced) keepCodeReader()
  }, [isPhone, hasSynced])
  return (
    <nav
      aria-label={words.main}
      className="flex shrink-0 border-t border-border bg-surface pb-[env(safe-area-inset-bottom)] tablet:hidden"
    >
      <Link to="/w/$ws" params={params} activeOptions={{ exact: true }} className={itemClass}>
        <House size={20} strokeWidth={1.75} aria-hidden />
        <Label>{words.home}</Label>
      </Link>
      <AriaButton className={itemClass} onPress={onTables}>
        <Table2 size={20} strokeWidth={1.75} aria-hidden />
        <Label>{words.tables}</Label>
      </AriaButton>
      <Link to="/w/$ws/capture" params={params} className={itemClass}>
        <CirclePlus size={20} strokeWidth={1.75} aria-hidden />
        <Label>{words.capture}</Label>
      </Link>
      <AriaButton className={itemClass} onPress={onSearch}>
        <Search size={20} strokeWidth={1.75} aria-hidden />
        <Label>{words.search}</Label>
      </AriaButton>
      <Link to="/w/$ws/inbox" params={params} className={itemClass}>
        <Inbox size={20} strokeWidth={1.75} aria-hidden />
        <Label>{words.inbox}</Label>
        {isPhone && hasSynced ? (
          <span className="absolute top-1 left-1/2 ml-1.5">
            <LateUnreadCount />
          </span>
        ) : null}
      </Link>
      <Link to="/w/$ws/sync" params={params} className={itemClass}>
        <RefreshCw size={20} strokeWidth={1.75} aria-hidden />
        <Label>{words.sync}</Label>
        {attention > 0 ? <Dot>{attention}</Dot> : null}
      </Link>
    </nav>
  )
}

/** Very large text is truncated, so that the layout stays. */
function Label({ children }: { readonly children: string }): JSX.Element {
  return <span className="max-w-full truncate">{children}</span>
}

function Dot({ children }: { readonly children: ReactNode }): JSX.Element {
  return (
    <span className="absolute top-1.5 left-1/2 ml-2 flex h-4 min-w-4 items-center justify-center rounded-full bg-danger px-1 text-[0.625rem] font-semibold text-on-danger">
      {children}
    </span>
  )
}

/** Lets the service worker cache the code reader after the rest of the app, if the browser has no reader. */
function keepCodeReader(): void {
  if ('BarcodeDetector' in window || !('serviceWorker' in navigator)) return
  void navigator.serviceWorker.ready.then(({ active }) => active?.postMessage({ type: 'keep-code-reader' }))
}
