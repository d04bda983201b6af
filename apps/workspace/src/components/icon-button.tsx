import type { JSX, ReactNode } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button'
import { cx } from '../lib/cx.ts'
import { Tooltip } from './tooltip.tsx'

export interface IconButtonProps extends Omit<AriaButtonProps, 'children' | 'className' | 'style' | 'aria-label'> {
  /** Accessible name and tooltip. */
  readonly label: string
  readonly icon: ReactNode
  readonly size?: 'sm' | 'md'
  readonly isActive?: boolean
  readonly hasTooltip?: boolean
  readonly shortcut?: string
  readonly className?: string
}

/** An icon button of at least 24 px, or 44 px on touch screens. */
export function IconButton({
  label,
  icon,
  size = 'md',
  isActive = false,
  hasTooltip = true,
  shortcut,
  className,
  ...rest
}: IconButtonProps): JSX.Element {
  const button = (
    <AriaButton
      {...rest}
      aria-label={label}
      className={cx(
        'inline-flex shrink-0 items-center justify-center rounded-md text-muted transition-colors coarse:size-11 print:hidden',
        'data-hovered:bg-hover data-hovered:text-text data-pressed:bg-pressed data-disabled:opacity-50',
        size === 'sm' ? 'size-7' : 'size-8',
        isActive && 'bg-accent-soft text-accent',
        className,
      )}
    >
      {icon}
    </AriaButton>
  )
  return hasTooltip ? (
    <Tooltip text={label} shortcut={shortcut}>
      {button}
    </Tooltip>
  ) : (
    button
  )
}
