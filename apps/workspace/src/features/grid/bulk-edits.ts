import type { LocalDatabase } from '@holdfast/client'
import { askForMore } from '../../components/records/more-question.tsx'
import { showToast } from '../../components/toast.tsx'
import type { Field } from '../../lib/fields/field.ts'
import { CHANGES_MAX } from '../../lib/records/apply-command.ts'
import type { RecordChange } from '../../lib/records/record-change.ts'
import { errorMessages } from '../../messages/errors.ts'
import { pasteMessages as words } from '../../messages/paste.ts'
import { recordMessages } from '../../messages/record.ts'
import { changesLeft } from './changes-left.ts'
import { type Cells, type CopiedCells, copyCells, PASTED_CELLS_MAX, pastedCells } from './copied-cells.ts'
import {
  type CellChanges,
  clearChanges,
  deleteChanges,
  fillChanges,
  joinChanges,
  pasteChanges,
  pasteInserts,
} from './edit-changes.ts'
import { readRange } from './range-rows.ts'
import { readLinkIds } from './read-link-ids.ts'
import { type CellRange, cellsIn } from './selection.ts'
import type { BulkEdits, GridEditsOptions } from './grid-edits.ts'
import type { GridRow } from './window-cache.ts'

export { Questions } from './questions.tsx'

/** Changes shown optimistically, before the database reports them. The rest follows within moments. */
const PATCHES_MAX = 200

/** Cells last copied in this tab, with their values. Pasting the same text reuses them instead of parsing it. */
let lastCopy: CopiedCells | undefined

/** Creates the grid's range operations. Loaded after the first rows. */
export function createBulkEdits(
  { database, judge }: Pick<LocalDatabase, 'database' | 'judge'>,
  { table, shown, fields: all, windows, writer }: GridEditsOptions,
): BulkEdits {
  const many = table.many
  const fieldsOf = (range: CellRange): readonly Field[] => shown.slice(range.firstColumn, range.lastColumn + 1)

  async function rowsOf(range: CellRange): Promise<readonly GridRow[] | undefined> {
    const rows = await readRange(windows, range)
    // A range may consist of group headers only.
    if (rows !== 'too_many') return rows.length === 0 ? undefined : rows
    showToast({ text: words.editTooMany(CHANGES_MAX) })
    return undefined
  }

  const leftOf: LeftOf = (labelOf, changes, rows) => changesLeft({ judge, table, labelOf }, changes, rows)

  const writeCells = (
    labelOfCells: (cells: number) => string,
    cells: CellChanges,
    rows: readonly GridRow[],
  ): Promise<void> => {
    const labelOf = (changes: readonly RecordChange[]): string => labelOfCells(countCells(changes))
    return writeChanges({ windows, writer }, labelOf, cells, (wanted) => leftOf(labelOf, wanted, rows))
  }

  return {
    async clear(range) {
      const rows = await rowsOf(range)
      if (!rows) return
      const cells = clearChanges(table.name, rows, fieldsOf(range))
      await writeCells(recordMessages.clearOf, cells, rows)
    },
    async fillDown(range) {
      const rows = await rowsOf(range)
      if (!rows) return
      const cells = fillChanges(table.name, rows, fieldsOf(range))
      await writeCells(recordMessages.fillOf, cells, rows)
    },
    async copy(range) {
      const rows = await rowsOf(range)
      if (!rows) return false
      lastCopy = copyCells(rows, fieldsOf(range))
      const isCopied = await writeClipboard(lastCopy)
      if (!isCopied) showToast({ text: errorMessages.clipboardDenied })
      else if (cellsIn(range) > 1) showToast({ text: words.copied(cellsIn(range)) })
      return isCopied
    },
    async paste(clipboard, range) {
      const cells = pastedCells(clipboard.text, clipboard.html, lastCopy)
      if (cells.length === 0) return void showToast({ text: words.pasteNothing })
      if (cells.reduce((sum, { length }) => sum + length, 0) > PASTED_CELLS_MAX) {
        return void showToast({ text: words.pasteTooMany(PASTED_CELLS_MAX) })
      }
      const into = pasteRange(range, cells)
      const rows = await rowsOf(into)
      if (!rows) return
      const below = await rowsBelow({ table, windows }, into, rows.length, cells)
      if (below === 'cancel') return
      const fields = fieldsOf(into)
      const linkIds = await readLinkIds(database, fields, cells)
      const changed = pasteChanges({ table: table.name, rows, fields, cells, linkIds })
      const added = pasteInserts({ table: table.name, fields, all, cells: below, linkIds })
      await writeCells(recordMessages.pasteOf, joinChanges(changed, added), rows)
    },
    async deleteRows(range) {
      const rows = await rowsOf(range)
      if (!rows || rows.length === 0) return
      const labelOf = ({ length }: readonly RecordChange[]): string =>
        recordMessages.deletionOf(length, table.noun, many)
      const changes = await leftOf(labelOf, deleteChanges(table.descriptor, rows), rows)
      if (changes.length === 0 || !(await writer.write({ label: labelOf(changes), changes, byRecord: true }))) return
      showToast({
        text: recordMessages.deleted(changes.length, table.noun, many),
        action: { label: recordMessages.undo, run: () => void writer.undo() },
      })
    },
  }
}

type LeftOf = (
  labelOf: (changes: readonly RecordChange[]) => string,
  changes: readonly RecordChange[],
  rows: readonly GridRow[],
) => Promise<readonly RecordChange[]>

/** Writes the remaining cell changes and reports the cells left out because their values did not fit. */
async function writeChanges(
  { windows, writer }: Pick<GridEditsOptions, 'windows' | 'writer'>,
  labelOf: (changes: readonly RecordChange[]) => string,
  { changes: wanted, refusals }: CellChanges,
  leftOf: (changes: readonly RecordChange[]) => Promise<readonly RecordChange[]>,
): Promise<void> {
  if (refusals.length > 0) showToast({ text: words.pasteFailed(refusals.length, refusals[0] ?? '') })
  const changes = await leftOf(wanted)
  if (changes.length === 0) return
  for (const change of changes.slice(0, PATCHES_MAX)) {
    if (change.kind === 'update') windows?.patch(change.id, change.values)
  }
  if (await writer.write({ label: labelOf(changes), changes, byRecord: true })) return
  for (const change of changes.slice(0, PATCHES_MAX)) {
    if (change.kind === 'update') windows?.patch(change.id, change.before)
  }
}

function countCells(changes: readonly RecordChange[]): number {
  return changes.reduce((sum, { values }) => sum + Object.keys(values).length, 0)
}

/** Returns the range to fill: the whole selection for a single copied cell, otherwise the copied extent from the first selected cell. */
function pasteRange(range: CellRange, cells: readonly (readonly unknown[])[]): CellRange {
  if (cells.length === 1 && cells[0]?.length === 1) return range
  const width = Math.max(...cells.map((row) => row.length))
  return {
    ...range,
    lastRow: range.firstRow + cells.length - 1,
    lastColumn: range.firstColumn + width - 1,
  }
}

/** Writes cells to the clipboard as text and as HTML. Spreadsheets prefer the HTML, which keeps cells from becoming formulas. */
async function writeClipboard({ text, html }: CopiedCells): Promise<boolean> {
  try {
    const parts = { 'text/plain': text, 'text/html': html }
    const blobs = Object.entries(parts).map(([type, part]) => [type, new Blob([part], { type })])
    await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))])
    return true
  } catch {
    return false
  }
}

/**
 * Returns the pasted rows below the last record of an ungrouped view if the user wants to create records from them.
 *
 * @param there - number of rows in the range that have records
 */
async function rowsBelow(
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
