import { Check, Minus } from 'lucide-react'
import type { JSX, ReactNode } from 'react'
import { Checkbox as AriaCheckbox, type CheckboxProps as AriaCheckboxProps } from 'react-aria-components/Checkbox'
import { Switch as AriaSwitch, type SwitchProps as AriaSwitchProps } from 'react-aria-components/Switch'
import { cx } from '../lib/cx.ts'

export interface CheckboxProps extends Omit<AriaCheckboxProps, 'children' | 'className' | 'style'> {
  readonly children?: ReactNode
  readonly className?: string
}

export function Checkbox({ children, className, ...rest }: CheckboxProps): JSX.Element {
  return (
    <AriaCheckbox
      {...rest}
      className={cx('group inline-flex min-h-6 items-center gap-2 text-body coarse:min-h-11', className)}
    >
      {({ isSelected, isIndeterminate }) => (
        <>
          <span
            className={cx(
              'flex size-4 shrink-0 items-center justify-center rounded-sm border transition-colors group-data-focus-visible:outline-2 group-data-focus-visible:outline-offset-2 group-data-focus-visible:outline-focus',
              isSelected || isIndeterminate
                ? 'border-accent bg-accent text-on-accent forced:bg-[Highlight]'
                : 'border-control bg-bg group-data-hovered:border-muted',
            )}
          >
            {isIndeterminate ? (
              <Minus size={12} strokeWidth={3} aria-hidden />
            ) : isSelected ? (
              <Check size={12} strokeWidth={3} aria-hidden />
            ) : null}
          </span>
          {children}
        </>
      )}
    </AriaCheckbox>
  )
}

export interface SwitchProps extends Omit<AriaSwitchProps, 'children' | 'className' | 'style'> {
  readonly children: ReactNode
}

/** A switch that takes effect immediately. */
export function Switch({ children, ...rest }: SwitchProps): JSX.Element {
  return (
    <AriaSwitch {...rest} className="group flex min-h-8 items-center justify-between gap-4 text-body coarse:min-h-11">
      <span>{children}</span>
      <span className="flex h-5 w-9 shrink-0 items-center rounded-full border border-control bg-sunken px-0.5 transition-colors group-data-focus-visible:outline-2 group-data-focus-visible:outline-offset-2 group-data-focus-visible:outline-focus group-data-selected:border-accent group-data-selected:bg-accent forced:group-data-selected:bg-[Highlight]">
        <span className="size-3.5 rounded-full bg-control transition-transform group-data-selected:translate-x-4 group-data-selected:bg-on-accent" />
      </span>
    </AriaSwitch>
  )
}
