import type { JSX } from 'react'
import { cx } from '../../../lib/cx.ts'
import type { Group } from '../data/tile-data.ts'
import { DASHES, inkClass, markClass, stripes } from './mark-looks.ts'

/** The names of parts, in the order in which they lie. */
export function Legend({
  parts,
  isLine = false,
}: {
  readonly parts: readonly Group[]
  readonly isLine?: boolean
}): JSX.Element | null {
  if (parts.length < 2) return null
  return (
    <ul aria-hidden className="flex flex-wrap gap-x-3 gap-y-1 pt-2 text-small text-muted">
      {parts.map((part, index) => (
        <li key={part.id} className="flex max-w-full min-w-0 items-center gap-1.5">
          {isLine ? (
            <svg data-chart="" width="18" height="8" className={cx('shrink-0', inkClass(part.colour))}>
              <line
                x1="0"
                x2="18"
                y1="4"
                y2="4"
                stroke="currentColor"
                strokeWidth="2"
                strokeDasharray={DASHES[index % DASHES.length]}
              />
            </svg>
          ) : (
            <span className={cx('size-2.5 shrink-0 rounded-[2px]', markClass(part.colour))} style={stripes(index)} />
          )}
          <span className="truncate">{part.label}</span>
        </li>
      ))}
    </ul>
  )
}
