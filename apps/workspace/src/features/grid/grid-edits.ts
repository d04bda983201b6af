import type { ComponentType } from 'react'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import type { RecordWriter } from '../../lib/records/create-record-writer.ts'
import type { NotStored } from '../../lib/records/not-stored.ts'
import type { RowWindows } from './row-windows.ts'
import type { CellRange } from './selection.ts'
import type { TypedCell } from './typed-cell.ts'
import type { GridRow } from './window-cache.ts'

/** What the grid does to records, as commands that can be undone. */
export interface GridEdits extends BulkEdits {
  /**
   * @param isUnjudged - it is stored even if it is known to be refused: the server says so then, and it waits for a decision
   * @returns why it is not stored: the value of before is shown again
   */
  setCell(
    row: GridRow,
    field: Field,
    value: FieldValue,
    label: string | undefined,
    isUnjudged?: boolean,
  ): Promise<NotStored | undefined>
  /** Stores what was typed in a cell that is not on the screen any more. */
  leaveCell(id: string, field: Field, typed: TypedCell): void
}

/** What the grid does to ranges of cells. */
export interface BulkEdits {
  clear(range: CellRange): Promise<void>
  fillDown(range: CellRange): Promise<void>
  /** @returns whether the cells are on the clipboard; if not, the person is told */
  copy(range: CellRange): Promise<boolean>
  paste(clipboard: { readonly text: string; readonly html: string }, range: CellRange): Promise<void>
  deleteRows(range: CellRange): Promise<void>
}

export interface GridEditsOptions {
  readonly table: TableInfo
  readonly shown: readonly Field[]
  /** All of the table. */
  readonly fields: readonly Field[]
  readonly windows: RowWindows | undefined
  readonly writer: RecordWriter
  /** What asks the person is loaded, and has to be drawn. */
  readonly onQuestions: (component: ComponentType) => void
}
