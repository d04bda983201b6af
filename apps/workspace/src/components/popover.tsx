import type { JSX, ReactNode } from 'react'
import { Dialog, DialogTrigger } from 'react-aria-components/Dialog'
import { Popover as AriaPopover, type PopoverProps as AriaPopoverProps } from 'react-aria-components/Popover'
import { cx } from '../lib/cx.ts'

export { DialogTrigger as PopoverTrigger }

export const popoverClass =
  'rounded-lg border border-border bg-raised text-text shadow-popover outline-none data-entering:animate-rise'

export interface PopoverProps extends Omit<AriaPopoverProps, 'children' | 'className' | 'style'> {
  /** The accessible name of the dialog inside. */
  readonly label: string
  readonly children: ReactNode
  readonly className?: string
}

/**
 * A small dialog anchored to the control before it inside a `PopoverTrigger`; Escape, a press outside and following a link
 * in it close it.
 */
export function Popover({ label, children, className, ...rest }: PopoverProps): JSX.Element {
  return (
    <AriaPopover offset={6} {...rest} className={cx(popoverClass, 'max-w-[calc(100vw-1rem)] overflow-auto', className)}>
      <Dialog aria-label={label} className="outline-none">
        {({ close }) => (
          <div
            onClick={(event) => {
              if (event.target instanceof Element && event.target.closest('a[href]')) close()
            }}
          >
            {children}
          </div>
        )}
      </Dialog>
    </AriaPopover>
  )
}
