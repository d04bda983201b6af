import { useLocalDatabase } from '@holdfast/react'
import { useCallback } from 'react'
import { showToast } from '../../components/toast.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import { parseTsv, renderTsv } from '../../lib/fields/tsv.ts'
import { CHANGES_MAX } from '../../lib/records/apply-command.ts'
import type { RecordWriter } from '../../lib/records/record-writer.ts'
import { quoteName } from '../../lib/sql.ts'
import { gridMessages as words } from '../../messages/grid.ts'
import { recordMessages } from '../../messages/record.ts'
import {
  type CellChanges,
  changeRow,
  clearChanges,
  copyText,
  fillChanges,
  pasteChanges,
  type PastedCell,
} from './edit-changes.ts'
import { LABEL_PREFIX } from './query/grid-query.ts'
import type { GridRow, RowWindows } from './row-windows.ts'
import type { CellRange } from './selection.ts'

/** What the grid does to records, as commands that can be undone. */
export interface GridEdits {
  setCell(row: GridRow, field: Field, value: FieldValue, label: string | undefined): Promise<void>
  clear(range: CellRange): Promise<void>
  fillDown(range: CellRange): Promise<void>
  /** @returns the text, or `undefined` when the range is too large to copy */
  copy(range: CellRange): Promise<string | undefined>
  paste(text: string, range: CellRange): Promise<void>
  deleteRows(range: CellRange): Promise<void>
}

/** The cells that were copied last in this tab, with their values: a paste of the same text needs no reading. */
let lastCopy: { readonly text: string; readonly cells: readonly (readonly PastedCell[])[] } | undefined

export function useGridEdits(
  table: TableInfo,
  shown: readonly Field[],
  windows: RowWindows | undefined,
  writer: RecordWriter,
): GridEdits {
  const { database } = useLocalDatabase()

  /** The rows of a range; of those on the screen without asking the database. */
  const rowsOf = useCallback(
    async ({ firstRow, lastRow }: CellRange): Promise<readonly GridRow[] | undefined> => {
      if (!windows) return []
      if (lastRow - firstRow + 1 > CHANGES_MAX) {
        showToast({ text: words.editTooMany(CHANGES_MAX) })
        return undefined
      }
      const here = Array.from({ length: lastRow - firstRow + 1 }, (_, index) => windows.row(firstRow + index))
      const known = here.filter((row) => row !== undefined)
      return known.length === here.length ? known : windows.read(firstRow, lastRow)
    },
    [windows],
  )

  const fieldsOf = (range: CellRange): readonly Field[] => shown.slice(range.firstColumn, range.lastColumn + 1)
  const many = table.label.toLowerCase()

  async function writeCells(label: string, { changes, refusals }: CellChanges): Promise<void> {
    if (refusals.length > 0) showToast({ text: words.pasteFailed(refusals.length, refusals[0] ?? '') })
    for (const change of changes.slice(0, 200)) if (change.kind === 'update') windows?.patch(change.id, change.values)
    await writer.write({ label, changes, byRecord: true })
  }

  return {
    async setCell(row, field, value, label) {
      const changes = changeRow(table.name, row, { [field.name]: value })
      if (changes.length === 0) return
      windows?.patch(row.id, {
        [field.name]: value,
        ...(field.link ? { [LABEL_PREFIX + field.name]: label ?? null } : {}),
      })
      await writer.write({ label: recordMessages.changeOf(field.label, 1, table.noun, many), changes })
    },
    async clear(range) {
      const rows = await rowsOf(range)
      if (!rows) return
      const cells = clearChanges(table.name, rows, fieldsOf(range))
      await writeCells(recordMessages.clearOf(cells.cells), cells)
    },
    async fillDown(range) {
      const rows = await rowsOf(range)
      if (!rows) return
      const cells = fillChanges(table.name, rows, fieldsOf(range))
      await writeCells(recordMessages.fillOf(cells.cells), cells)
    },
    async copy(range) {
      const rows = await rowsOf(range)
      if (!rows) return undefined
      const fields = fieldsOf(range)
      const text = renderTsv(rows.map((row) => fields.map((field) => copyText(field, row))))
      lastCopy = {
        text,
        cells: rows.map((row) =>
          fields.map((field) => ({ text: copyText(field, row), copied: { field, value: row[field.name] ?? null } })),
        ),
      }
      return text
    },
    async paste(text, range) {
      const cells = lastCopy?.text === text.replaceAll('\r\n', '\n') ? lastCopy.cells : textCells(text)
      const isSingle = cells.length === 1 && cells[0]?.length === 1
      const width = isSingle ? range.lastColumn - range.firstColumn + 1 : Math.max(...cells.map((row) => row.length))
      const fields = shown.slice(range.firstColumn, range.firstColumn + width)
      const rows = await rowsOf(isSingle ? range : { ...range, lastRow: range.firstRow + cells.length - 1 })
      if (!rows) return
      const linkIds = await readLinkIds(fields, cells)
      const changes = pasteChanges({ table: table.name, rows, fields, cells, linkIds })
      await writeCells(recordMessages.pasteOf(changes.cells), changes)
    },
    async deleteRows(range) {
      const rows = await rowsOf(range)
      if (!rows || rows.length === 0) return
      const names = table.descriptor.columns.map(({ name }) => name)
      const changes = rows.map((row) => ({
        kind: 'delete' as const,
        table: table.name,
        id: row.id,
        values: Object.fromEntries(names.filter((name) => name !== 'id').map((name) => [name, row[name] ?? null])),
      }))
      const isWritten = await writer.write({
        label: recordMessages.deletionOf(rows.length, table.noun, many),
        changes,
        byRecord: true,
      })
      if (!isWritten) return
      showToast({
        text: recordMessages.deleted(rows.length, table.noun, many),
        action: { label: recordMessages.undo, run: () => void writer.undo() },
      })
    },
  }

  /** Ids of the linked records that pasted titles name, when each names exactly one. */
  async function readLinkIds(
    fields: readonly Field[],
    cells: readonly (readonly PastedCell[])[],
  ): Promise<(field: Field, title: string) => string | undefined> {
    const ids = new Map<string, string | undefined>()
    for (const [column, field] of fields.entries()) {
      const titleColumn = field.link?.titleColumn
      if (!field.link || titleColumn === undefined) continue
      const titles = cells.flatMap((row) => {
        const cell = row[cells.length === 1 && row.length === 1 ? 0 : column]
        return cell && cell.text.trim() !== '' ? [cell.text.trim().toLowerCase()] : []
      })
      if (titles.length === 0) continue
      const found = await database.getAll<{ readonly id: string; readonly title: string }>(
        `select id, lower(${quoteName(titleColumn)}) as title from ${quoteName(field.link.table)}
          where lower(${quoteName(titleColumn)}) in (select value from json_each(?))`,
        [JSON.stringify([...new Set(titles)])],
      )
      for (const { id, title } of found) {
        const key = `${field.name}/${title}`
        ids.set(key, ids.has(key) ? undefined : id)
      }
    }
    return (field, title) => ids.get(`${field.name}/${title.trim().toLowerCase()}`)
  }
}

function textCells(text: string): readonly (readonly PastedCell[])[] {
  return parseTsv(text).map((row) => row.map((cell) => ({ text: cell })))
}
