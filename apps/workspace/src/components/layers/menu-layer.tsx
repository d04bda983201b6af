import { Check } from 'lucide-react'
import { type JSX, useRef } from 'react'
import { Header } from 'react-aria-components/Header'
import { Menu, MenuContext, MenuItem, MenuSection } from 'react-aria-components/Menu'
import { Popover, PopoverContext } from 'react-aria-components/Popover'
import { Separator } from 'react-aria-components/Separator'
import { cx } from '../../lib/cx.ts'
import { Kbd } from '../kbd.tsx'
import { optionClass } from '../option-class.ts'
import { type MenuItemProps, type MenuProps, type MenuSectionProps, popoverClass } from './layer-props.ts'
import { LayerContexts } from './layer-contexts.tsx'
import type { LayerLink } from './layer-trigger.tsx'

/** Implementation of `Menu`. */
export function MenuLayer({
  link,
  label,
  placement = 'bottom end',
  className,
  children,
  ...rest
}: MenuProps & { readonly link: LayerLink }): JSX.Element {
  const { triggerRef, overlayProps } = link
  const scrollRef = useRef<HTMLDivElement>(null)
  return (
    <LayerContexts link={link}>
      <MenuContext value={{ ...overlayProps, ref: scrollRef }}>
        <PopoverContext value={{ trigger: 'MenuTrigger', triggerRef, scrollRef }}>
          <Popover
            placement={placement}
            offset={6}
            aria-label={label}
            className={cx(popoverClass, 'max-w-[calc(100vw-1rem)] min-w-56 overflow-auto p-1', className)}
          >
            <Menu {...rest} aria-label={label} className="outline-none">
              {children}
            </Menu>
          </Popover>
        </PopoverContext>
      </MenuContext>
    </LayerContexts>
  )
}

export function MenuLayerItem({
  children,
  icon,
  detail,
  shortcut,
  isDanger = false,
  ...rest
}: MenuItemProps): JSX.Element {
  return (
    <MenuItem {...rest} textValue={children} className={cx(optionClass, isDanger && 'text-danger')}>
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
    </MenuItem>
  )
}

export function MenuLayerSection({ header, headerClassName, children, ...rest }: MenuSectionProps): JSX.Element {
  return (
    <MenuSection {...rest}>
      <Header className={cx('px-2', headerClassName)}>{header}</Header>
      {children}
    </MenuSection>
  )
}

export function MenuLayerSeparator(): JSX.Element {
  return <Separator className="my-1 h-px bg-border" />
}
