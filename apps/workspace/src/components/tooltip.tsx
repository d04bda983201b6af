import type { JSX, ReactElement } from 'react'
import { Tooltip as AriaTooltip, TooltipTrigger } from 'react-aria-components/Tooltip'
import { Kbd } from './kbd.tsx'

/** A short word beside a control on hover and focus. It repeats or adds; nothing is only in a tooltip. */
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
  return (
    <TooltipTrigger delay={500} closeDelay={80}>
      {children}
      <AriaTooltip
        offset={6}
        className="flex max-w-72 items-center gap-2 rounded-md bg-text px-2 py-1 text-small text-bg shadow-popover data-entering:animate-fade"
      >
        {text}
        {shortcut === undefined ? null : <Kbd isInverted>{shortcut}</Kbd>}
      </AriaTooltip>
    </TooltipTrigger>
  )
}
