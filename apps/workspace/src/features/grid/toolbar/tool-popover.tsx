import type { JSX, ReactNode } from 'react'
import { Button as AriaButton } from 'react-aria-components/Button'
import { Popover, PopoverTrigger } from '../../../components/popover.tsx'
import { cx } from '../../../lib/cx.ts'
import { formatCount } from '../../../lib/format.ts'

interface ToolButtonProps {
  /** The accessible name, including the current setting. */
  readonly label: string
  readonly text: string
  /** Number of active settings; 0 leaves the view unchanged. */
  readonly count: number
  readonly icon: ReactNode
}

/** A toolbar button with its popover. */
export function ToolPopover({
  className,
  children,
  ...button
}: ToolButtonProps & { readonly className: string; readonly children: ReactNode }): JSX.Element {
  return (
    <PopoverTrigger>
      <ToolButton {...button} />
      <Popover label={button.text} placement="bottom start" className={`${className} p-3`}>
        {children}
      </Popover>
    </PopoverTrigger>
  )
}

/** A toolbar button: icon and label, or in a narrow toolbar icon and number. Highlighted while it changes the view. */
function ToolButton({ label, text, count, icon }: ToolButtonProps): JSX.Element {
  return (
    <AriaButton
      aria-label={label}
      className={cx(
        'inline-flex h-8 shrink-0 items-center gap-1.5 rounded-md px-2 text-small font-medium transition-colors coarse:h-11 coarse:min-w-11 coarse:justify-center',
        count > 0
          ? 'bg-accent-soft text-accent'
          : 'text-muted data-hovered:bg-hover data-hovered:text-text data-pressed:bg-pressed',
      )}
    >
      {icon}
      <span className="hidden @6xl:inline">{text}</span>
      {count === 0 ? null : <span className="tabular-nums">{formatCount(count)}</span>}
    </AriaButton>
  )
}
