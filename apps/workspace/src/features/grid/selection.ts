import type { AfterEdit } from './cell-editor-props.ts'

/** A cell's position in the view. */
export interface CellPlace {
  readonly row: number
  readonly column: number
}

/** The active cell and the opposite end of the range; equal if one cell is selected. */
export interface Selection {
  readonly active: CellPlace
  readonly anchor: CellPlace
}

export interface GridSize {
  readonly rows: number
  readonly columns: number
  /** Rows that fit on the screen. */
  readonly page: number
}

export interface CellRange {
  readonly firstRow: number
  readonly lastRow: number
  readonly firstColumn: number
  readonly lastColumn: number
}

export const FIRST_CELL: Selection = { active: { row: 0, column: 0 }, anchor: { row: 0, column: 0 } }

export function rangeOf({ active, anchor }: Selection): CellRange {
  return {
    firstRow: Math.min(active.row, anchor.row),
    lastRow: Math.max(active.row, anchor.row),
    firstColumn: Math.min(active.column, anchor.column),
    lastColumn: Math.max(active.column, anchor.column),
  }
}

export function cellsIn({ firstRow, lastRow, firstColumn, lastColumn }: CellRange): number {
  return (lastRow - firstRow + 1) * (lastColumn - firstColumn + 1)
}

/** Selects one cell, clamped to the grid. */
export function selectCell(place: CellPlace, size: GridSize): Selection {
  const active = clamp(place, size)
  return { active, anchor: active }
}

/** Returns the selection after an edit. */
export function selectAfterEdit({ row, column }: CellPlace, after: AfterEdit, size: GridSize): Selection {
  const [down, right] = STEPS[after]
  return selectCell({ row: row + down, column: column + right }, size)
}

const STEPS: Readonly<Record<AfterEdit, readonly [down: number, right: number]>> = {
  stay: [0, 0],
  down: [1, 0],
  up: [-1, 0],
  right: [0, 1],
  left: [0, -1],
}

export function isSamePlace(a: CellPlace, b: CellPlace): boolean {
  return a.row === b.row && a.column === b.column
}

export function extendTo(selection: Selection, place: CellPlace, size: GridSize): Selection {
  return { active: clamp(place, size), anchor: selection.anchor }
}

/** A key press for the grid. */
export interface GridKey {
  readonly key: string
  readonly isShift: boolean
  /** Ctrl, or ⌘ on Apple keyboards. */
  readonly isMod: boolean
}

/** Returns the selection after a key that moves or extends it; `undefined` for other keys. */
export function moveSelection(
  selection: Selection,
  { key, isShift, isMod }: GridKey,
  size: GridSize,
): Selection | undefined {
  const lastRow = Math.max(0, size.rows - 1)
  const lastColumn = Math.max(0, size.columns - 1)
  const { active } = selection
  if (isMod && key.toLowerCase() === 'a') {
    return { active: { row: lastRow, column: lastColumn }, anchor: { row: 0, column: 0 } }
  }
  if (key === ' ' && isShift) {
    return { active: { row: active.row, column: lastColumn }, anchor: { row: selection.anchor.row, column: 0 } }
  }
  if (key === ' ' && isMod) {
    return { active: { row: lastRow, column: active.column }, anchor: { row: 0, column: selection.anchor.column } }
  }
  const target = targetOf(active, key, isMod, { lastRow, lastColumn, page: size.page })
  if (!target) return undefined
  return isShift ? extendTo(selection, target, size) : selectCell(target, size)
}

function targetOf(
  { row, column }: CellPlace,
  key: string,
  isMod: boolean,
  { lastRow, lastColumn, page }: { readonly lastRow: number; readonly lastColumn: number; readonly page: number },
): CellPlace | undefined {
  switch (key) {
    case 'ArrowUp':
      return { row: isMod ? 0 : row - 1, column }
    case 'ArrowDown':
      return { row: isMod ? lastRow : row + 1, column }
    case 'ArrowLeft':
      return { row, column: isMod ? 0 : column - 1 }
    case 'ArrowRight':
      return { row, column: isMod ? lastColumn : column + 1 }
    case 'Home':
      return { row: isMod ? 0 : row, column: 0 }
    case 'End':
      return { row: isMod ? lastRow : row, column: lastColumn }
    case 'PageUp':
      return { row: row - Math.max(1, page - 1), column }
    case 'PageDown':
      return { row: row + Math.max(1, page - 1), column }
    default:
      return undefined
  }
}

function clamp({ row, column }: CellPlace, { rows, columns }: GridSize): CellPlace {
  return {
    row: Math.min(Math.max(0, row), Math.max(0, rows - 1)),
    column: Math.min(Math.max(0, column), Math.max(0, columns - 1)),
  }
}
