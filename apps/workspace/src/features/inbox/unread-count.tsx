import type { JSX } from 'react'
import { CountBadge } from '../../components/count-badge.tsx'
import { isUnread } from '../../lib/records/inbox.ts'
import { useInbox } from '../../lib/records/use-inbox.ts'
import { inboxMessages as words } from '../../messages/inbox.ts'

/** The number of unread inbox items; nothing at zero. */
export function UnreadCount(): JSX.Element | null {
  const count = useInbox().items.filter(isUnread).length
  if (count === 0) return null
  return (
    <>
      <span className="sr-only">, {words.unreadCount(count)}</span>
      <span aria-hidden>
        <CountBadge count={count} tone="accent" />
      </span>
    </>
  )
}
