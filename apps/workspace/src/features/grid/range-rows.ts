import { CHANGES_MAX } from '../../lib/records/apply-command.ts'
import type { RowWindows } from './row-windows.ts'
import type { GridRow } from './window-cache.ts'
import type { CellRange } from './selection.ts'

/** Returns the rows of a range, querying only those not loaded. `too_many`: more rows than a command accepts. */
export async function readRange(
  windows: Pick<RowWindows, 'row' | 'read'> | undefined,
  { firstRow, lastRow }: Pick<CellRange, 'firstRow' | 'lastRow'>,
): Promise<readonly GridRow[] | 'too_many'> {
  if (!windows) return []
  const count = lastRow - firstRow + 1
  if (count > CHANGES_MAX) return 'too_many'
  const known = Array.from({ length: count }, (_, index) => windows.row(firstRow + index)).filter(
    (row) => row !== undefined,
  )
  return known.length === count ? known : windows.read(firstRow, lastRow)
}
