import { createContext, type JSX, type ReactElement, type RefObject, use } from 'react'
import { ButtonContext, type ButtonProps } from 'react-aria-components/Button'
import type { RootMenuTriggerState } from 'react-stately/useMenuTriggerState'
import { type LatePart, useLatePart } from '../../lib/late-part.ts'

/** What a control and the layer that it opens know of each other. */
export interface LayerLink {
  readonly state: RootMenuTriggerState
  readonly triggerRef: RefObject<HTMLButtonElement | null>
  /** For the element that opens: its id, and whose name it takes. */
  readonly overlayProps: object
}

const LayerContext = createContext<LayerLink | undefined>(undefined)

/** The control that opens a layer, and the layer. */
export type ControlAndLayer = readonly [control: ReactElement, layer: ReactElement]

/**
 * Ties a button to the layer after it. The button is whole from the start: what it says to screen readers and which keys
 * and presses open it do not wait for the layer's code, which is loaded when the button is first pointed at, focused or
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

/** The code of a layer as soon as it is open and loaded, with what ties it to its control. */
export function useLayer<Part>(late: LatePart<Part>): {
  readonly link: LayerLink
  readonly part: Part | undefined
  readonly hasFailed: boolean
} {
  const link = use(LayerContext)
  if (!link) throw new Error('A layer stands after its control, inside a PopoverTrigger or a MenuTrigger')
  return { link, ...useLatePart(late, link.state.isOpen) }
}
