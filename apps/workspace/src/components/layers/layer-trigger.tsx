import { createContext, type JSX, type ReactElement, type RefObject, use } from 'react'
import { ButtonContext, type ButtonProps } from 'react-aria-components/Button'
import type { RootMenuTriggerState } from 'react-stately/useMenuTriggerState'
import { type LatePart, useLatePart } from '../../lib/late-part.ts'

/** Shared state of a control and its layer. */
export interface LayerLink {
  readonly state: RootMenuTriggerState
  readonly triggerRef: RefObject<HTMLButtonElement | null>
  /** For the opened element: id and label reference. */
  readonly overlayProps: object
}

const LayerContext = createContext<LayerLink | undefined>(undefined)

/** The control and its layer. */
export type ControlAndLayer = readonly [control: ReactElement, layer: ReactElement]

/**
 * Connects a button to the layer after it. ARIA state and key handling work immediately; the layer's code is loaded when the button is hovered, focused or
 * pressed.
 */
export function LayerTrigger({
  children: [control, layer],
  link,
  controlProps,
  late,
}: {
  readonly children: ControlAndLayer
  readonly link: LayerLink
  readonly controlProps: ButtonProps
  readonly late: LatePart<object>
}): JSX.Element {
  return (
    <>
      <ButtonContext
        value={{
          ...controlProps,
          ref: link.triggerRef,
          isPressed: link.state.isOpen,
          onHoverStart: late.preload,
          onFocus: late.preload,
        }}
      >
        {control}
      </ButtonContext>
      <LayerContext value={link}>{layer}</LayerContext>
    </>
  )
}

/** Returns an open layer's code once loaded, and its connection to the control. */
export function useLayer<Part>(late: LatePart<Part>): {
  readonly link: LayerLink
  readonly part: Part | undefined
  readonly hasFailed: boolean
} {
  const link = use(LayerContext)
  if (!link) throw new Error('A layer stands after its control, inside a PopoverTrigger or a MenuTrigger')
  return { link, ...useLatePart(late, link.state.isOpen) }
}
