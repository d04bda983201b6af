import type { TableInfo } from '../../lib/data/tables.ts'
import type { Field } from '../../lib/fields/field.ts'
import type { RecordMark } from '../../lib/records/record-state.ts'
import type { RecordWriter } from '../../lib/records/create-record-writer.ts'
import type { WindowsState } from './row-windows-state.ts'
import type { RowWindows } from './row-windows.ts'
import type { GridView } from './use-grid-view.ts'

/** Props of every view type except the grid. */
export interface KindProps {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  readonly view: GridView
  /** The rows of the view by position; `undefined` before they are open. */
  readonly windows: RowWindows | undefined
  readonly state: WindowsState
  readonly marks: ReadonlyMap<string, RecordMark>
  readonly writer: RecordWriter
}
