import {
  cellsIn,
  type GridKey,
  type GridSize,
  moveSelection,
  rangeOf,
  selectCell,
  type Selection,
} from './selection.ts'

/** The grid action that a key requests. */
export type GridAction =
  | { readonly kind: 'select'; readonly selection: Selection }
  /** `typed` starts the edit with this text; `undefined` starts it with the value. */
  | { readonly kind: 'edit'; readonly typed: string | undefined }
  /** Checks the rows of the selection. */
  | { readonly kind: 'check'; readonly selection: Selection }
  | { readonly kind: 'uncheck_all' }
  | { readonly kind: 'open_page' }
  | { readonly kind: 'toggle_record' }
  | { readonly kind: 'close_record' }
  | { readonly kind: 'fill_down' }
  | { readonly kind: 'clear' }
  | { readonly kind: 'delete_rows' }

export interface PressedKey extends GridKey {
  readonly isAlt: boolean
}

/** The grid state that determines what a key does. */
export interface GridKeyState {
  readonly selection: Selection
  readonly size: GridSize
  readonly canUpdate: boolean
  readonly canDelete: boolean
  /** Whether the active cell's row is loaded. */
  readonly hasActiveRow: boolean
  readonly isRecordOpen: boolean
  /** Some records are checked. */
  readonly isChecking: boolean
}

/** Returns the grid action for a key. `undefined`: the browser handles the key. */
export function actionOfKey(pressed: PressedKey, state: GridKeyState): GridAction | undefined {
  if (pressed.isAlt) return undefined
  const selection = moveSelection(state.selection, pressed, state.size)
  const isRowKey = pressed.key === ' ' && pressed.isShift
  if (selection) return { kind: isRowKey ? 'check' : 'select', selection }
  return pressed.isMod ? actionOfModKey(pressed, state) : actionOfPlainKey(pressed, state)
}

function actionOfModKey({ key }: PressedKey, state: GridKeyState): GridAction | undefined {
  if (key === 'Enter' && state.hasActiveRow) return { kind: 'open_page' }
  if (key.toLowerCase() === 'd' && state.canUpdate) return { kind: 'fill_down' }
  if (key === 'Backspace' && state.canDelete) return { kind: 'delete_rows' }
  return undefined
}

function actionOfPlainKey({ key, isShift }: PressedKey, state: GridKeyState): GridAction | undefined {
  const { selection, size } = state
  const { active } = selection
  switch (key) {
    case 'Enter':
    case 'F2':
      return { kind: 'edit', typed: undefined }
    case 'Tab': {
      const column = active.column + (isShift ? -1 : 1)
      // At either end, Tab leaves the grid.
      if (column < 0 || column >= size.columns) return undefined
      return { kind: 'select', selection: selectCell({ row: active.row, column }, size) }
    }
    case ' ':
      return state.isChecking ? { kind: 'check', selection } : { kind: 'toggle_record' }
    case 'Delete':
    case 'Backspace':
      return state.canUpdate ? { kind: 'clear' } : undefined
    case 'Escape':
      if (cellsIn(rangeOf(selection)) > 1) return { kind: 'select', selection: selectCell(active, size) }
      if (state.isChecking) return { kind: 'uncheck_all' }
      return state.isRecordOpen ? { kind: 'close_record' } : undefined
    default:
      return key.length === 1 ? { kind: 'edit', typed: key } : undefined
  }
}
