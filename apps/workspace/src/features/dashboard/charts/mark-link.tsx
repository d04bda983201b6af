import { Link } from '@tanstack/react-router'
import type { CSSProperties, JSX, KeyboardEvent, ReactNode } from 'react'
import type { FilterGroup } from '../../../lib/filters/filter.ts'
import { renderFilter } from '../../../lib/filters/filter-text.ts'

export interface MarkLinkProps {
  readonly workspace: string
  readonly table: string
  /** `undefined`: the mark leads nowhere. */
  readonly filter: FilterGroup | undefined
  readonly label: string
  /** Only the first mark of a chart is a tab stop; arrow keys move on. */
  readonly isFirst?: boolean
  readonly className?: string
  readonly style?: CSSProperties
  readonly onReach?: () => void
  readonly onLeave?: () => void
  readonly children?: ReactNode
}

/** A bar, point or number that leads to its records. */
export function MarkLink({
  workspace,
  table,
  filter,
  label,
  isFirst = false,
  className,
  style,
  onReach,
  onLeave,
  children,
}: MarkLinkProps): JSX.Element {
  const shared = {
    'data-mark': '',
    className,
    style,
    tabIndex: isFirst ? 0 : -1,
    'aria-label': label,
    onMouseEnter: onReach,
    onFocus: onReach,
    onMouseLeave: onLeave,
    onBlur: onLeave,
  }
  return filter === undefined ? (
    <span role="img" {...shared}>
      {children}
    </span>
  ) : (
    <Link to="/w/$ws/t/$table" params={{ ws: workspace, table }} search={searchOf(filter)} preload={false} {...shared}>
      {children}
    </Link>
  )
}

export function searchOf(filter: FilterGroup): { readonly f?: string } {
  const f = renderFilter(filter)
  return f === undefined ? {} : { f }
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }

/** Moves the focus between the marks of a chart. */
export function moveBetweenMarks(event: KeyboardEvent<HTMLElement>): void {
  const marks = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-mark]')]
  const at = marks.findIndex((mark) => mark === document.activeElement)
  const step = STEPS[event.key]
  const next =
    event.key === 'Home'
      ? marks[0]
      : event.key === 'End'
        ? marks.at(-1)
        : step === undefined
          ? undefined
          : marks[at + step]
  if (at < 0 || !next) return
  event.preventDefault()
  next.focus()
}
