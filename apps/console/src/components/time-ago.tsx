import type { JSX } from 'react'
import { formatAgo, formatTime } from '../lib/format.ts'

/** A time relative to now, with the exact one on hover. */
export function TimeAgo({
  at,
  missing = 'never',
}: {
  readonly at: string | null
  readonly missing?: string
}): JSX.Element {
  if (at === null) return <span className="text-subtle">{missing}</span>
  return (
    <time dateTime={at} title={formatTime(at)} className="whitespace-nowrap">
      {formatAgo(at)}
    </time>
  )
}
