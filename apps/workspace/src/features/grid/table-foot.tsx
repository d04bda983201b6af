import type { JSX } from 'react'
import { latePart, useLatePart } from '../../lib/late-part.ts'
import type { ViewType } from '../../lib/views/use-views.ts'
import { GridFooter, type GridFooterProps } from './grid-footer.tsx'
import { rangeOf } from './selection.ts'
import type { SelectionBarProps } from './selection-bar.tsx'
import { NO_SELECTION, useSelected } from './use-view-selection.ts'

export const barCode = latePart(async () => await import('./selection-bar.tsx'))

/** Shows the footer, or the actions for the selected records. A form shows no records, and so has none. */
export function TableFoot({
  hasCells,
  type,
  ...props
}: Omit<GridFooterProps, 'selection'> &
  SelectionBarProps & {
    /** The view has a cell selection. */
    readonly hasCells: boolean
    readonly type: ViewType
  }): JSX.Element | null {
  const rows = useSelected(hasCells ? props.selection : NO_SELECTION, (selected) => {
    const { firstRow, lastRow } = rangeOf(selected)
    return lastRow - firstRow + 1
  })
  const isChecking = useSelected(props.checked, ({ size }) => size > 0)
  const hasBar = isChecking || rows > 1
  const { part } = useLatePart(barCode, hasBar)
  if (type === 'form') return null
  if (part && hasBar) return <part.SelectionBar {...props} />
  return <GridFooter {...props} selection={hasCells ? props.selection : undefined} />
}
