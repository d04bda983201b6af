import { type JSX, type ReactElement, useRef } from 'react'
import { FocusableProvider } from 'react-aria/private/interactions/useFocusable'
import { useTooltipTrigger } from 'react-aria/useTooltipTrigger'
import { useTooltipTriggerState } from 'react-stately/useTooltipTriggerState'
import { latePart, useLatePart } from '../lib/late-part.ts'

const layerCode = latePart(async () => await import('./layers/tooltip-layer.tsx'))
const DELAYS = { delay: 500, closeDelay: 80 }

/** A short word beside a control on hover and focus. It repeats or adds; nothing is only in a tooltip: one that cannot be loaded is not there. */
export function Tooltip({
  text,
  shortcut,
  children,
}: {
  readonly text: string
  readonly shortcut?: string | undefined
  /** One focusable control. */
  readonly children: ReactElement
}): JSX.Element {
  const state = useTooltipTriggerState(DELAYS)
  const triggerRef = useRef<HTMLElement>(null)
  const { triggerProps, tooltipProps } = useTooltipTrigger(DELAYS, state, triggerRef)
  const { part } = useLatePart(layerCode, state.isOpen)
  return (
    <>
      <FocusableProvider {...triggerProps} ref={triggerRef}>
        {children}
      </FocusableProvider>
      {part ? <part.TooltipLayer {...{ state, triggerRef, tooltipProps, text, shortcut }} /> : null}
    </>
  )
}
