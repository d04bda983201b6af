import { useRecords } from '@holdfast/react'
import type { JSX } from 'react'
import { Dialog } from '../../../components/dialog.tsx'
import type { Field } from '../../../lib/fields/field.ts'
import { mapMessages as words } from '../../../messages/map.ts'
import type { GridQuery } from '../query/grid-query.ts'
import { titleOf } from '../record-words.ts'
import type { GridRow } from '../window-cache.ts'
import { recordsAtSql, type Spot } from './map-sql.ts'
import type { PointFields } from '../../../lib/map/point-fields.ts'

const SHOWN_MAX = 200

/** Lists records that zooming in cannot separate. */
export function RecordsHere({
  query,
  point,
  spot,
  fields,
  onOpen,
  onClose,
}: {
  readonly query: GridQuery
  readonly point: PointFields
  readonly spot: Spot
  readonly fields: readonly Field[]
  readonly onOpen: (id: string) => void
  readonly onClose: () => void
}): JSX.Element {
  const bounds = { west: spot['#west'], east: spot['#east'], south: spot['#south'], north: spot['#north'] }
  const { text, values } = recordsAtSql(query, point, bounds, SHOWN_MAX)
  const { rows } = useRecords<GridRow>(text, values)
  return (
    <Dialog title={words.here} isOpen onClose={onClose}>
      <ul className="flex flex-col gap-px">
        {rows.map((row) => (
          <li key={row.id}>
            <button
              type="button"
              className="focus-inset min-h-11 w-full rounded-md px-2 text-left text-body hover:bg-hover"
              onClick={() => {
                onClose()
                onOpen(row.id)
              }}
            >
              {titleOf(row, fields)}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
