import type { ReactNode } from 'react'
import type {
  MenuItemProps as AriaMenuItemProps,
  MenuProps as AriaMenuProps,
  MenuSectionProps as AriaMenuSectionProps,
} from 'react-aria-components/Menu'
import type { PopoverProps as AriaPopoverProps } from 'react-aria-components/Popover'

export const popoverClass =
  'rounded-lg border border-border bg-raised text-text shadow-popover outline-none data-entering:animate-rise'

export interface PopoverProps extends Omit<AriaPopoverProps, 'children' | 'className' | 'style'> {
  /** Accessible name of the inner dialog. */
  readonly label: string
  readonly children: ReactNode
  readonly className?: string
}

export interface MenuProps extends Omit<AriaMenuProps<object>, 'className' | 'style' | 'aria-label' | 'children'> {
  readonly label: string
  readonly placement?: NonNullable<AriaPopoverProps['placement']>
  readonly children: ReactNode
  readonly className?: string
}

export interface MenuItemProps extends Omit<AriaMenuItemProps, 'children' | 'className' | 'style'> {
  readonly children: string
  readonly icon?: ReactNode
  readonly detail?: ReactNode
  readonly shortcut?: string
  readonly isDanger?: boolean
}

export interface MenuSectionProps extends Omit<AriaMenuSectionProps<object>, 'children' | 'className' | 'style'> {
  readonly header: ReactNode
  readonly headerClassName?: string
  readonly children: ReactNode
}
