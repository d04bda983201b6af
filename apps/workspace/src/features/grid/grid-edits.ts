import type { ComponentType } from 'react'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field, FieldValue } from '../../lib/fields/field.ts'
import type { RecordWriter } from '../../lib/records/create-record-writer.ts'
import type { NotStored } from '../../lib/records/not-stored.ts'
import type { ChosenChecklist } from './start-checklists.ts'
import type { RowWindows } from './row-windows.ts'
import type { CellRange } from './selection.ts'
import type { TypedCell } from './typed-cell.ts'
import type { GridRow } from './window-cache.ts'

/** The grid's record operations, as commands that can be undone. */
export interface GridEdits extends Omit<BulkEdits, 'startChecklist'> {
  /**
   * @param isUnjudged - stores the value even if policies are known to refuse it; it becomes a rejected change
   * @returns why it was not stored; the previous value is then shown again
   */
  setCell(
    row: GridRow,
    field: Field,
    value: FieldValue,
    label: string | undefined,
    isUnjudged?: boolean,
  ): Promise<NotStored | undefined>
  /** Stores the text typed into a cell that is no longer on screen. */
  leaveCell(id: string, field: Field, typed: TypedCell): void
}

/** The grid's operations on ranges of cells. */
export interface BulkEdits {
  clear(range: CellRange): Promise<void>
  /**
   * Sets the cells of a range to a value of one of its fields, as a paste of that value would.
   *
   * @param label - the title of a link
   */
  setCells(range: CellRange, field: Field, value: FieldValue, label?: string): Promise<void>
  /**
   * Repeats the first rows of a range in the rows below them. A range of one row takes the values of the row above it.
   *
   * @param sources - number of rows to repeat
   */
  fillDown(range: CellRange, sources?: number): Promise<void>
  /** @returns whether the cells are on the clipboard; if not, the user is told */
  copy(range: CellRange): Promise<boolean>
  paste(clipboard: { readonly text: string; readonly html: string }, range: CellRange): Promise<void>
  /**
   * Sets a field of records.
   *
   * @param label - the title of a link
   */
  setField(chosen: ChosenRows, field: Field, value: FieldValue, label?: string): Promise<void>
  deleteRows(chosen: ChosenRows): Promise<void>
  /** Starts a checklist for records that have none. */
  startChecklist(chosen: ChosenRows, start: ChosenChecklist): Promise<void>
}

/** Records of a view: by position, or by id. */
export type ChosenRows = Pick<CellRange, 'firstRow' | 'lastRow'> | { readonly ids: ReadonlySet<string> }

export interface GridEditsOptions {
  readonly table: TableInfo
  readonly shown: readonly Field[]
  /** All fields of the table. */
  readonly fields: readonly Field[]
  readonly windows: RowWindows | undefined
  readonly writer: RecordWriter
  /** Called when the component that asks the user has loaded, so that it can be rendered. */
  readonly onQuestions: (component: ComponentType) => void
}
