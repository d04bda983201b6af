import type { GridKeyState } from './grid-keys.ts'
import type { RowGroup } from './row-groups.ts'
import type { Selection } from './selection.ts'
import type { CellEdit } from './use-cell-edit.ts'
import type { GridEdits } from './grid-edits.ts'

/** What keyboard, pointer and clipboard need of the grid as it is drawn now. */
export interface GridController extends GridKeyState {
  readonly edit: CellEdit
  readonly edits: GridEdits
  /** Id of the record in the active row, once it has been read. */
  readonly activeRecordId: string | undefined
  /** The group whose header is active. */
  readonly activeGroup: RowGroup | undefined
  readonly onToggleGroup: (key: string) => void
  readonly openRecordId: string | undefined
  readonly select: (next: Selection) => void
  readonly onOpenRecord: (id: string | undefined) => void
  readonly onOpenPage: (id: string) => void
}
