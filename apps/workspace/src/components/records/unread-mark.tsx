import { AtSign, MessageSquare } from 'lucide-react'
import type { JSX } from 'react'
import { formatCount } from '../../lib/format.ts'
import type { UnreadComments } from '../../lib/records/unread-comments.ts'

/** Number of a row's unread comments. Visual only: the row announces it. */
export function UnreadMark({ unread: { count, mentions } }: { readonly unread: UnreadComments }): JSX.Element {
  const Icon = mentions > 0 ? AtSign : MessageSquare
  return (
    <span
      aria-hidden
      className="ml-auto inline-flex h-5 shrink-0 items-center gap-1 rounded-full bg-accent-soft px-1.5 text-small font-medium text-accent tabular-nums"
    >
      <Icon size={12} />
      {formatCount(count)}
    </span>
  )
}
