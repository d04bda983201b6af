import type { JSX, ReactNode } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { cx } from '../../../lib/cx.ts'

/** A button of the toolbar: an icon and a word, on a phone the icon alone; marked while it changes the view. */
export function ToolButton({
  label,
  text,
  icon,
  isActive,
  isCompact,
}: {
  /** The accessible name, with what is set. */
  readonly label: string
  readonly text: string
  readonly icon: ReactNode
  readonly isActive: boolean
  readonly isCompact: boolean
}): JSX.Element {
  return (
    <AriaButton
      aria-label={label}
      className={cx(
        'inline-flex h-8 shrink-0 items-center gap-1.5 rounded-md px-2 text-small font-medium transition-colors coarse:h-11 coarse:min-w-11 coarse:justify-center',
        isActive
          ? 'bg-accent-soft text-accent'
          : 'text-muted data-hovered:bg-hover data-hovered:text-text data-pressed:bg-pressed',
      )}
    >
      {icon}
      {isCompact && !isActive ? null : <span className={isCompact ? 'tabular-nums' : undefined}>{text}</span>}
    </AriaButton>
  )
}
