import type { JSX } from 'react'
import { cx } from '../lib/cx.ts'

/** A key, or keys pressed together. */
export function Kbd({
  children,
  isInverted = false,
}: {
  readonly children: string
  readonly isInverted?: boolean
}): JSX.Element {
  return (
    <kbd
      className={cx(
        'inline-flex h-5 min-w-5 items-center justify-center rounded-sm border px-1 font-sans text-[0.6875rem] leading-none font-medium tabular-nums',
        isInverted ? 'border-current/30' : 'border-border bg-surface text-muted',
      )}
    >
      {children}
    </kbd>
  )
}
