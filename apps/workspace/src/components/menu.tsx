import { createElement, type JSX, useRef } from 'react'
import { useMenuTrigger } from 'react-aria/useMenu'
import { type MenuTriggerProps as StateProps, useMenuTriggerState } from 'react-stately/useMenuTriggerState'
import { latePart } from '../lib/late-part.ts'
import type { MenuItemProps, MenuProps, MenuSectionProps } from './layers/layer-props.ts'
import { LayerNotLoaded } from './late-content.tsx'
import { type ControlAndLayer, LayerTrigger, useLayer } from './layers/layer-trigger.tsx'

const layerCode = latePart(async () => await import('./layers/menu-layer.tsx'))
export const preloadMenu = layerCode.preload

/** A button that opens a `Menu`. */
export function MenuTrigger({
  children,
  ...props
}: Pick<StateProps, 'isOpen' | 'onOpenChange'> & { readonly children: ControlAndLayer }): JSX.Element {
  const state = useMenuTriggerState(props)
  const triggerRef = useRef<HTMLButtonElement>(null)
  const { menuTriggerProps, menuProps } = useMenuTrigger<object>({ type: 'menu' }, state, triggerRef)
  return (
    <LayerTrigger
      link={{ state, triggerRef, overlayProps: menuProps }}
      controlProps={menuTriggerProps}
      late={layerCode}
    >
      {children}
    </LayerTrigger>
  )
}

/** A menu opened by the preceding control in a `MenuTrigger`. */
export function Menu(props: MenuProps): JSX.Element | null {
  const { link, part, hasFailed } = useLayer(layerCode)
  if (part) return <part.MenuLayer {...props} link={link} />
  return hasFailed ? <LayerNotLoaded /> : null
}

export function MenuItem(props: MenuItemProps): JSX.Element {
  return createElement(getLayerCode().MenuLayerItem, props)
}

/** A group of entries with a header. */
export function MenuSection(props: MenuSectionProps): JSX.Element {
  return createElement(getLayerCode().MenuLayerSection, props)
}

export function MenuSeparator(): JSX.Element {
  return createElement(getLayerCode().MenuLayerSeparator)
}

/** Returns the menu code, which is loaded when a `Menu` renders its entries. */
function getLayerCode(): typeof import('./layers/menu-layer.tsx') {
  const code = layerCode.find()
  if (!code) throw new Error('An entry of a menu stands inside a Menu')
  return code
}
