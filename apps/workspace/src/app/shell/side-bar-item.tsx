import type { JSX, ReactNode } from 'react'
import { Focusable } from 'react-aria-components/Focusable'
import { Tooltip } from '../../components/tooltip.tsx'
import { VisuallyHidden } from '../../components/visually-hidden.tsx'
import { cx } from '../../lib/cx.ts'

export function Heading({ children }: { readonly children: string }): JSX.Element {
  return <h2 className="px-2 pt-4 pb-1.5 text-small font-medium text-muted">{children}</h2>
}

export function Item({
  label,
  isNarrow,
  children,
}: {
  label: string
  isNarrow: boolean
  children: JSX.Element
}): JSX.Element {
  return isNarrow ? (
    <Tooltip text={label}>
      <Focusable>{children}</Focusable>
    </Tooltip>
  ) : (
    children
  )
}

export function Word({ isNarrow, children }: { isNarrow: boolean; children: ReactNode }): JSX.Element {
  return isNarrow ? <VisuallyHidden>{children}</VisuallyHidden> : <span className="flex-1 truncate">{children}</span>
}

export function itemClass(isNarrow: boolean): string {
  return cx(
    'focus-inset flex h-8 items-center gap-2.5 rounded-md text-body text-text no-underline transition-colors hover:bg-hover coarse:h-11',
    'aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent',
    isNarrow ? 'justify-center' : 'px-2',
  )
}
