import type { JSX, RefObject } from 'react'
import { Tooltip, TooltipContext, TooltipTriggerStateContext } from 'react-aria-components/Tooltip'
import type { TooltipTriggerState } from 'react-stately/useTooltipTriggerState'
import { Kbd } from '../kbd.tsx'

/** Implementation of `Tooltip`. */
export function TooltipLayer({
  state,
  triggerRef,
  tooltipProps,
  text,
  shortcut,
}: {
  readonly state: TooltipTriggerState
  readonly triggerRef: RefObject<Element | null>
  readonly tooltipProps: object
  readonly text: string
  readonly shortcut: string | undefined
}): JSX.Element {
  return (
    <TooltipTriggerStateContext value={state}>
      <TooltipContext value={{ ...tooltipProps, triggerRef }}>
        <Tooltip
          offset={6}
          className="flex max-w-72 items-center gap-2 rounded-md bg-text px-2 py-1 text-small text-bg shadow-popover data-entering:animate-fade"
        >
          {text}
          {shortcut === undefined ? null : <Kbd isInverted>{shortcut}</Kbd>}
        </Tooltip>
      </TooltipContext>
    </TooltipTriggerStateContext>
  )
}
