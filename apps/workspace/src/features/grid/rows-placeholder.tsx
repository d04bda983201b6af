import type { JSX } from 'react'
import { useAppearance } from '../../lib/appearance.ts'
import { useMediaQuery } from '../../hooks/use-media-query.ts'
import type { Field } from '../../lib/fields/field.ts'
import { bandsOf, FIRST_TEXT_PX, GUTTER_PX, HEADER_PX, ITEM_PX, ITEM_TEXT_PX, layOut, ROW_PX } from './grid-layout.ts'
import type { GridDress } from './grid-dress.ts'

/** Placeholder of the grid or list before its first rows are loaded: column names and bands for the rows. */
export function RowsPlaceholder({
  fields,
  dress,
  isList,
  label,
}: {
  readonly fields: readonly Field[]
  readonly dress: GridDress | undefined
  readonly isList: boolean
  readonly label: string
}): JSX.Element {
  const isCoarse = useMediaQuery('(pointer: coarse)')
  const density = useAppearance((appearance) => appearance.density)
  const rowPx = dress?.rowPx ?? ROW_PX[density ?? (isCoarse ? 'relaxed' : 'standard')]
  return (
    <div role="status" aria-label={label} className="flex min-h-0 flex-1 flex-col overflow-hidden">
      {isList ? null : <Header fields={fields} widths={dress?.widths} />}
      <div
        className="row-bands min-h-0 flex-1"
        style={isList ? bandsOf(ITEM_PX, ITEM_TEXT_PX) : bandsOf(rowPx, FIRST_TEXT_PX)}
      />
    </div>
  )
}

function Header({
  fields,
  widths,
}: {
  readonly fields: readonly Field[]
  readonly widths: GridDress['widths'] | undefined
}): JSX.Element {
  return (
    <div aria-hidden className="relative shrink-0 border-b border-border bg-surface" style={{ height: HEADER_PX }}>
      {layOut(fields, widths).columns.map(({ field, left, width }) => (
        <span
          key={field.name}
          className="absolute inset-y-0 flex items-center border-l border-border px-2 text-small font-medium whitespace-nowrap text-muted"
          style={{ left: GUTTER_PX + left - 1, width: width + 1 }}
        >
          {field.label}
        </span>
      ))}
    </div>
  )
}
