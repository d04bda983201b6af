import { askForMore } from '../../components/records/more-question.tsx'
import type { Cells } from './copied-cells.ts'
import type { GridEditsOptions } from './grid-edits.ts'
import type { CellRange } from './selection.ts'

/**
 * The rows of a paste that are below the last record of a view without groups, if the person wants records of them.
 *
 * @param there - rows of the range that have records
 */
export async function rowsBelow(
  { table, windows }: Pick<GridEditsOptions, 'table' | 'windows'>,
  into: CellRange,
  there: number,
  cells: Cells,
): Promise<Cells | 'cancel'> {
  const state = windows?.getState()
  const isAtEnd = state?.levels === 0 && into.firstRow + there === state.rows
  const below = cells.slice(there)
  if (below.length === 0 || !isAtEnd || !table.descriptor.can.insert) return []
  const answer = await askForMore({ rows: below.length, one: table.noun, many: table.many })
  return answer === 'add' ? below : answer === 'leave' ? [] : 'cancel'
}
