import { askForMore } from '../../components/records/more-question.tsx'
import { showToast } from '../../components/toast.tsx'
import { pasteMessages as words } from '../../messages/paste.ts'
import { recordMessages } from '../../messages/record.ts'
import type { BulkContext } from './bulk-context.ts'
import { type Cells, type CopiedCells, PASTED_CELLS_MAX, pastedCells } from './copied-cells.ts'
import { joinChanges, pasteChanges, pasteInserts } from './edit-changes.ts'
import { readLinkIds } from './read-link-ids.ts'
import type { CellRange } from './selection.ts'

/**
 * Pastes cells into a range, after the user has seen which of them are refused.
 *
 * @param lastCopy - the cells last copied in this tab
 */
export async function pasteCells(
  context: BulkContext,
  clipboard: { readonly text: string; readonly html: string },
  range: CellRange,
  lastCopy: CopiedCells | undefined,
): Promise<void> {
  const { table, fields: all, database } = context
  const cells = pastedCells(clipboard.text, clipboard.html, lastCopy)
  if (cells.length === 0) return void showToast({ text: words.pasteNothing })
  if (cells.reduce((sum, { length }) => sum + length, 0) > PASTED_CELLS_MAX) {
    return void showToast({ text: words.pasteTooMany(PASTED_CELLS_MAX) })
  }
  const into = pasteRange(range, cells)
  const rows = await context.rowsOf(into)
  if (!rows) return
  const below = await rowsBelow(context, into, rows.length, cells)
  if (below === 'cancel') return
  const fields = context.fieldsOf(into)
  const linkIds = await readLinkIds(database, fields, cells)
  const changed = pasteChanges({ table: table.name, rows, fields, cells, linkIds })
  const added = pasteInserts({ table: table.name, fields, all, cells: below.added, linkIds })
  const lost = { changes: [], cells: 0, refusals: below.lost.map(() => words.pasteNoRow) }
  await context.writeCells(recordMessages.pasteOf, joinChanges(joinChanges(changed, added), lost), rows)
}

/** Returns the range to fill: the whole selection for a single copied cell, otherwise the copied extent from the first selected cell. */
function pasteRange(range: CellRange, cells: Cells): CellRange {
  if (cells.length === 1 && cells[0]?.length === 1) return range
  const width = Math.max(...cells.map((row) => row.length))
  return {
    ...range,
    lastRow: range.firstRow + cells.length - 1,
    lastColumn: range.firstColumn + width - 1,
  }
}

/** Pasted rows below the last record of the range. */
interface RowsBelow {
  /** Rows that become records. */
  readonly added: Cells
  /** Cells that no record can take. */
  readonly lost: Cells[number]
}

const NONE: RowsBelow = { added: [], lost: [] }

/**
 * Returns the pasted rows below the last record of an ungrouped view if the user wants to create records from them.
 *
 * @param there - number of rows in the range that have records
 */
async function rowsBelow(
  { table, windows }: BulkContext,
  into: CellRange,
  there: number,
  cells: Cells,
): Promise<RowsBelow | 'cancel'> {
  const state = windows?.getState()
  const isAtEnd = state?.levels === 0 && into.firstRow + there === state.rows
  const below = cells.slice(there)
  if (below.length === 0) return NONE
  if (!isAtEnd || !table.descriptor.can.insert) {
    return { added: [], lost: below.flat().filter(({ text }) => text.trim() !== '') }
  }
  const answer = await askForMore({ rows: below.length, one: table.noun, many: table.many })
  return answer === 'cancel' ? answer : answer === 'add' ? { added: below, lost: [] } : NONE
}
