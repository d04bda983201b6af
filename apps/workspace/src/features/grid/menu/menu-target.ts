import type { MouseEvent, ReactNode } from 'react'
import type { TableInfo } from '../../../lib/data/tables.ts'
import type { Field } from '../../../lib/fields/field.ts'

/** What a menu of the grid is about, and its position in the window. */
export interface MenuTarget {
  /** Index of the row; `undefined`: the header of a column. */
  readonly row: number | undefined
  readonly column: number
  readonly x: number
  readonly y: number
}

/** An entry that another feature adds to the menu of a column. */
export interface ColumnAction {
  readonly id: string
  readonly label: string
  readonly icon?: ReactNode
  readonly isDanger?: boolean
  readonly run: () => void
}

/** Returns the entries that another feature adds to the menu of a column. */
export type ColumnActions = (table: TableInfo, field: Field) => readonly ColumnAction[]

/** Returns the position of a menu: at the pointer, or below the focused element if a key opened it. */
export function pointOf(
  { clientX, clientY }: MouseEvent,
  element: Element,
): { readonly x: number; readonly y: number } {
  const { left, right, top, bottom } = element.getBoundingClientRect()
  const isInside = clientX > left && clientX <= right && clientY > top && clientY <= bottom
  return isInside ? { x: clientX, y: clientY } : { x: left + 8, y: bottom }
}
