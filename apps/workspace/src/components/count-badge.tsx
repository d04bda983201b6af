import type { JSX } from 'react'
import { cx } from '../lib/cx.ts'
import { formatCount } from '../lib/format.ts'

/** A small count beside a word. */
export function CountBadge({
  count,
  tone = 'neutral',
}: {
  readonly count: number
  readonly tone?: 'neutral' | 'danger' | 'accent'
}): JSX.Element {
  const looks = {
    neutral: 'bg-sunken text-muted',
    danger: 'bg-danger-soft text-danger',
    accent: 'bg-accent-soft text-accent',
  }[tone]
  return (
    <span
      className={cx(
        'inline-flex h-5 min-w-5 items-center justify-center rounded-full px-1.5 text-small tabular-nums',
        looks,
      )}
    >
      {formatCount(count)}
    </span>
  )
}
