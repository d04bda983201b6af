import type { LocalDatabase } from '@holdfast/client'
import { showToast } from '../../components/toast.tsx'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { toEditText } from '../../lib/fields/format-value.ts'
import type { RecordChange } from '../../lib/records/record-change.ts'
import { errorMessages } from '../../messages/errors.ts'
import { pasteMessages as words } from '../../messages/paste.ts'
import { selectionMessages } from '../../messages/selection.ts'
import { type ChosenChecklist, startChanges } from './start-checklists.ts'
import { recordMessages } from '../../messages/record.ts'
import { type BulkContext, createBulkContext, undoOfLast } from './bulk-context.ts'
import { changesLeft } from './changes-left.ts'
import { type CopiedCells, copyCells } from './copied-cells.ts'
import { clearChanges, deleteChanges, fillChanges, pasteChanges } from './edit-changes.ts'
import type { BulkEdits, GridEditsOptions } from './grid-edits.ts'
import { watchLongWrites } from './long-write.tsx'
import { pasteCells } from './paste-cells.ts'
import { readLinkIds } from './read-link-ids.ts'
import { cellsIn } from './selection.ts'
import type { GridRow } from './window-cache.ts'

export { Questions } from './questions.tsx'

/** Cells last copied in this tab, with their values. Pasting the same text reuses them instead of parsing it. */
let lastCopy: CopiedCells | undefined

/** Creates the grid's operations on many cells and records. Loaded after the first rows. */
export function createBulkEdits(
  local: Pick<LocalDatabase, 'database' | 'judge'>,
  options: GridEditsOptions,
): BulkEdits {
  watchLongWrites()
  const context = createBulkContext(local, options)
  const { table, fieldsOf, rowsOf, writeCells } = context
  return {
    async clear(range) {
      const rows = await rowsOf(range)
      if (!rows) return
      await writeCells(recordMessages.clearOf, clearChanges(table.name, rows, fieldsOf(range)), rows)
    },
    async setCells(range, field, value, label) {
      const rows = await rowsOf(range)
      if (rows) await setValues(context, rows, fieldsOf(range), field, value, label)
    },
    async fillDown(range, sources = 1) {
      const isOneRow = range.firstRow === range.lastRow
      const rows = await rowsOf(isOneRow ? { ...range, firstRow: Math.max(0, range.firstRow - 1) } : range)
      if (!rows) return
      if (rows.length <= sources) return void showToast({ text: words.fillNothing })
      await writeCells(recordMessages.fillOf, fillChanges(table.name, rows, fieldsOf(range), sources), rows)
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
    paste: (clipboard, range) => pasteCells(context, clipboard, range, lastCopy),
    async setField(chosen, field, value, label) {
      const rows = await rowsOf(chosen)
      if (rows) await setValues(context, rows, [field], field, value, label)
    },
    async deleteRows(chosen) {
      const rows = await rowsOf(chosen)
      if (rows) await deleteRecords(context, rows)
    },
    async startChecklist(chosen, start) {
      const rows = await rowsOf(chosen)
      if (rows) await startForRecords(context, rows, start)
    },
  }
}

/** Sets fields of records to the value of a field, as a paste of that value would. */
async function setValues(
  { table, database, writeCells }: BulkContext,
  rows: readonly GridRow[],
  fields: readonly Field[],
  field: Field,
  value: FieldValue,
  label: string | undefined,
): Promise<void> {
  const text = field.kind === 'link' ? (label ?? '') : toEditText(field, value)
  const cells = [[{ text, copied: { field, value } }]]
  const linkIds = await readLinkIds(database, fields, cells)
  const labelOf = (count: number): string =>
    fields.length === 1
      ? recordMessages.changeOf(field.label, count, table.noun, table.many)
      : recordMessages.cellsOf(count)
  await writeCells(labelOf, pasteChanges({ table: table.name, rows, fields, cells, linkIds }), rows)
}

async function deleteRecords({ table, judge, writer }: BulkContext, rows: readonly GridRow[]): Promise<void> {
  const labelOf = ({ length }: readonly RecordChange[]): string =>
    recordMessages.deletionOf(length, table.noun, table.many)
  const wanted = { changes: deleteChanges(table.descriptor, rows), refusals: [] }
  const changes = await changesLeft({ judge, table, labelOf }, wanted, rows)
  if (changes.length === 0 || !(await writer.write({ label: labelOf(changes), changes, byRecord: true }))) return
  showToast({
    text: recordMessages.deleted(changes.length, table.noun, table.many),
    action: undoOfLast(writer),
  })
}

async function startForRecords(
  { table, judge, writer }: BulkContext,
  rows: readonly GridRow[],
  start: ChosenChecklist,
): Promise<void> {
  const labelOf = ({ length }: readonly RecordChange[]): string =>
    selectionMessages.startOf(start.name, length, table.noun, table.many)
  const wanted = startChanges(start, rows, table.titleColumn)
  // The rules of another table judge its new records when they are sent.
  const changes =
    start.place === undefined ? await changesLeft({ judge, table, labelOf }, wanted, rows) : wanted.changes
  if (changes.length === 0 || !(await writer.write({ label: labelOf(changes), changes, byRecord: true }))) return
  showToast({
    text: selectionMessages.started(start.name, changes.length, table.noun, table.many),
    action: undoOfLast(writer),
  })
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
