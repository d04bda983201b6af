import type { TableInfo } from '../../lib/data/tables.ts'
import type { MenuTarget } from './menu/menu-target.ts'
import type { Sort } from './query/sort.ts'
import type { GridKeyState } from './grid-keys.ts'
import type { RowGroup } from './row-groups.ts'
import type { Selection } from './selection.ts'
import type { CellEdit } from './use-cell-edit.ts'
import type { RowChecks } from './use-row-checks.ts'
import type { GridEdits } from './grid-edits.ts'

/** The state of the rendered grid, for its keyboard, pointer and clipboard handlers. */
export interface GridController extends GridKeyState {
  readonly table: TableInfo
  readonly edit: CellEdit
  readonly edits: GridEdits
  readonly checks: RowChecks
  /** Id of the record in the active row, once loaded. */
  readonly activeRecordId: string | undefined
  /** The group whose header is active. */
  readonly activeGroup: RowGroup | undefined
  /** @param group - a key, or whether all groups are expanded */
  readonly onToggleGroup: (group: string | boolean) => void
  readonly openRecordId: string | undefined
  readonly select: (next: Selection) => void
  readonly onOpenRecord: (id: string | undefined) => void
  readonly onOpenPage: (id: string) => void
  readonly onSort: (sorts: readonly Sort[]) => void
  readonly onMenu: (target: MenuTarget) => void
}
