import { Check } from 'lucide-react'
import type { JSX, ReactNode } from 'react'
import {
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  MenuTrigger,
  type MenuItemProps as AriaMenuItemProps,
  type MenuProps as AriaMenuProps,
} from 'react-aria-components/Menu'
import { Popover as AriaPopover, type PopoverProps as AriaPopoverProps } from 'react-aria-components/Popover'
import { Separator } from 'react-aria-components/Separator'
import { cx } from '../lib/cx.ts'
import { Kbd } from './kbd.tsx'
import { popoverClass } from './popover.tsx'
import { optionClass } from './option-class.ts'

export { MenuTrigger }

export interface MenuProps extends Omit<AriaMenuProps<object>, 'className' | 'style' | 'aria-label' | 'children'> {
  readonly label: string
  readonly placement?: NonNullable<AriaPopoverProps['placement']>
  readonly children: ReactNode
  readonly className?: string
}

/** A menu that opens from the control before it inside a `MenuTrigger`. */
export function Menu({ label, placement = 'bottom end', className, children, ...rest }: MenuProps): JSX.Element {
  return (
    <AriaPopover
      placement={placement}
      offset={6}
      className={cx(popoverClass, 'max-w-[calc(100vw-1rem)] min-w-56 overflow-auto p-1', className)}
    >
      <AriaMenu {...rest} aria-label={label} className="outline-none">
        {children}
      </AriaMenu>
    </AriaPopover>
  )
}

export interface MenuItemProps extends Omit<AriaMenuItemProps, 'children' | 'className' | 'style'> {
  readonly children: string
  readonly icon?: ReactNode
  readonly detail?: ReactNode
  readonly shortcut?: string
  readonly isDanger?: boolean
}

export function MenuItem({ children, icon, detail, shortcut, isDanger = false, ...rest }: MenuItemProps): JSX.Element {
  return (
    <AriaMenuItem {...rest} textValue={children} className={cx(optionClass, isDanger && 'text-danger')}>
      {({ isSelected, selectionMode }) => (
        <>
          {selectionMode === 'none' ? null : (
            <span className="flex w-4 justify-center text-accent">
              {isSelected ? <Check size={16} aria-hidden /> : null}
            </span>
          )}
          {icon === undefined ? null : <span className={cx('flex', !isDanger && 'text-muted')}>{icon}</span>}
          <span className="flex-1 truncate">{children}</span>
          {detail === undefined ? null : <span className="text-small text-muted tabular-nums">{detail}</span>}
          {shortcut === undefined ? null : <Kbd>{shortcut}</Kbd>}
        </>
      )}
    </AriaMenuItem>
  )
}

export function MenuSeparator(): JSX.Element {
  return <Separator className="my-1 h-px bg-border" />
}
