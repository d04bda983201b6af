import type { JSX } from 'react'
import { cx } from '../lib/cx.ts'
import { commonMessages } from '../messages/common.ts'

const WIDTHS = ['w-11/12', 'w-3/4', 'w-5/6', 'w-2/3', 'w-4/5']

/** Placeholder rows while loading. */
export function Skeleton({
  rows = 5,
  label = commonMessages.loading,
}: {
  readonly rows?: number
  readonly label?: string
}): JSX.Element {
  return (
    <div role="status" aria-label={label} className="flex flex-col">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="flex h-row items-center border-b border-border/60">
          <div className={cx('h-3 animate-breathe rounded-sm bg-border/70', WIDTHS[index % WIDTHS.length])} />
        </div>
      ))}
    </div>
  )
}
