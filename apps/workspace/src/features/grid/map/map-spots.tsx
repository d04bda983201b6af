import type { JSX } from 'react'
import { paletteClass } from '../../../components/chip.tsx'
import { cx } from '../../../lib/cx.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { choiceLooks } from '../../../lib/fields/choice-looks.ts'
import type { Field } from '../../../lib/fields/field.ts'
import { formatCount } from '../../../lib/format.ts'
import { mapMessages as words } from '../../../messages/map.ts'
import { stateFieldOf, textOf, titleOf } from '../record-words.ts'
import type { Spot } from './map-sql.ts'
import { type Camera, type Size, toScreen } from '../../../lib/map/projection.ts'

/** Up to this many spots, single records show their titles. */
const TITLES_MAX = 25

/** The records in view. Pressing a single record opens it; pressing a cluster zooms in. */
export function MapSpots({
  table,
  fields,
  spots,
  camera,
  size,
  openRecord,
  onSpot,
}: {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly spots: readonly Spot[]
  readonly camera: Camera
  readonly size: Size
  readonly openRecord: string | undefined
  readonly onSpot: (spot: Spot) => void
}): JSX.Element {
  const state = stateFieldOf(fields)
  const hasTitles = spots.length <= TITLES_MAX
  return (
    <ul className="contents">
      {spots.map((spot) => {
        const { x, y } = toScreen({ lon: spot['#lon'], lat: spot['#lat'] }, camera, size)
        const isOne = spot['#count'] === 1
        const choice = isOne && state ? (spot[state.name] ?? null) : null
        const title = titleOf(spot, fields)
        return (
          <li key={spot.id} className="absolute top-0 left-0" style={{ transform: `translate(${x}px, ${y}px)` }}>
            <button
              type="button"
              data-spot={spot['#count']}
              onClick={() => onSpot(spot)}
              aria-label={
                isOne
                  ? [title, ...(state && choice !== null ? [textOf(spot, state)] : [])].join(', ')
                  : words.near(spot['#count'], table.noun, table.many)
              }
              className="group grid size-11 -translate-1/2 place-items-center rounded-full"
            >
              {isOne ? (
                <span
                  className={cx(
                    'size-5 rounded-full border-2 border-bg shadow-popover ring-1 ring-current group-hover:scale-125',
                    paletteClass(
                      choice === null
                        ? 'teal'
                        : choiceLooks(String(choice), state?.choices, state?.choiceWords.colours).colour,
                    ),
                    spot.id === openRecord && 'scale-150 ring-3',
                  )}
                />
              ) : (
                <span className="grid min-w-9 place-items-center rounded-full border-2 border-bg bg-accent px-2 py-1.5 text-small font-medium text-on-accent tabular-nums shadow-popover group-hover:bg-accent-strong">
                  {formatCount(spot['#count'])}
                </span>
              )}
            </button>
            {isOne && hasTitles ? (
              <span
                aria-hidden
                className="pointer-events-none absolute top-0 left-3.5 max-w-40 -translate-y-1/2 truncate rounded-sm bg-bg/85 px-1 text-small"
              >
                {title}
              </span>
            ) : null}
          </li>
        )
      })}
    </ul>
  )
}
