import type { JSX, ReactNode } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button'
import { cx } from '../lib/cx.ts'
import { Spinner } from './spinner.tsx'

export type ButtonTone = 'primary' | 'secondary' | 'quiet' | 'danger'
export type ButtonSize = 'sm' | 'md'

export interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className' | 'style'> {
  readonly children: ReactNode
  readonly tone?: ButtonTone
  readonly size?: ButtonSize
  /** Precedes the label; hidden from screen readers. */
  readonly icon?: ReactNode
  readonly iconAfter?: ReactNode
  readonly isFullWidth?: boolean
  readonly className?: string
}

/** A button. While `isPending` it keeps its width, shows a spinner and is disabled. */
export function Button({
  children,
  tone = 'secondary',
  size = 'md',
  icon,
  iconAfter,
  isFullWidth = false,
  className,
  ...rest
}: ButtonProps): JSX.Element {
  return (
    <AriaButton {...rest} className={buttonClass({ tone, size, isFullWidth, className })}>
      {({ isPending }) => (
        <>
          {isPending ? <Spinner /> : icon}
          {children}
          {iconAfter}
        </>
      )}
    </AriaButton>
  )
}

const BASE =
  'relative inline-flex shrink-0 items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap select-none ' +
  'transition-colors disabled:opacity-55 data-disabled:opacity-55 data-pending:opacity-75 coarse:min-h-11 forced:border-[ButtonText] print:hidden'

const SIZES: Readonly<Record<ButtonSize, string>> = {
  sm: 'h-7 px-2.5 text-small',
  md: 'h-9 px-3.5 text-body',
}

const TONES: Readonly<Record<ButtonTone, string>> = {
  primary: 'border-transparent bg-accent text-on-accent data-hovered:bg-accent-strong data-pressed:bg-accent-strong',
  secondary: 'border-control/60 bg-raised text-text data-hovered:bg-surface data-pressed:bg-sunken',
  quiet: 'border-transparent text-text data-hovered:bg-hover data-pressed:bg-pressed',
  danger: 'border-transparent bg-danger text-on-danger data-hovered:bg-danger-strong data-pressed:bg-danger-strong',
}

/** Button styles, for links that look like buttons. */
export function buttonClass({
  tone = 'secondary',
  size = 'md',
  isFullWidth = false,
  className,
}: {
  readonly tone?: ButtonTone
  readonly size?: ButtonSize
  readonly isFullWidth?: boolean
  readonly className?: string | undefined
}): string {
  return cx(BASE, SIZES[size], TONES[tone], isFullWidth && 'w-full', className)
}
