import { type JSX, useId, useRef } from 'react'
import { useOverlayTrigger } from 'react-aria/useOverlayTrigger'
import { type MenuTriggerProps as StateProps, useMenuTriggerState } from 'react-stately/useMenuTriggerState'
import { latePart } from '../lib/late-part.ts'
import type { PopoverProps } from './layers/layer-props.ts'
import { LayerNotLoaded } from './late-content.tsx'
import { type ControlAndLayer, LayerTrigger, useLayer } from './layers/layer-trigger.tsx'

const layerCode = latePart(async () => await import('./layers/popover-layer.tsx'))
export const preloadPopover = layerCode.preload

/** A button that opens a `Popover`. */
export function PopoverTrigger({
  children,
  ...props
}: Pick<StateProps, 'isOpen' | 'onOpenChange'> & { readonly children: ControlAndLayer }): JSX.Element {
  const state = useMenuTriggerState(props)
  const triggerRef = useRef<HTMLButtonElement>(null)
  const id = useId()
  const { triggerProps, overlayProps } = useOverlayTrigger({ type: 'dialog' }, state, triggerRef)
  return (
    <LayerTrigger
      link={{ state, triggerRef, overlayProps: { ...overlayProps, 'aria-labelledby': id } }}
      controlProps={{ ...triggerProps, id }}
      late={layerCode}
    >
      {children}
    </LayerTrigger>
  )
}

/** A small dialog anchored to the preceding control in a `PopoverTrigger`; closes on Escape, an outside click or following a link. */
export function Popover(props: PopoverProps): JSX.Element | null {
  const { link, part, hasFailed } = useLayer(layerCode)
  if (part) return <part.PopoverLayer {...props} link={link} />
  return hasFailed ? <LayerNotLoaded /> : null
}
