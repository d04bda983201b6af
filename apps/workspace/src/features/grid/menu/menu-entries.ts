import type { ReactNode } from 'react'
import type { Field } from '../../../lib/fields/field.ts'
import type { GridController } from '../grid-controller.ts'
import type { GridColumn } from '../grid-layout.ts'
import type { RowWindows } from '../row-windows.ts'
import type { ViewShape } from '../use-grid-view.ts'
import type { ColumnActions, MenuTarget } from './menu-target.ts'

export interface GridMenuProps {
  readonly target: MenuTarget
  readonly grid: GridController
  readonly columns: readonly GridColumn[]
  readonly windows: RowWindows | undefined
  readonly view: ViewShape
  /** All fields of the table. */
  readonly fields: readonly Field[]
  /** Number of frozen columns. */
  readonly frozen: number
  readonly columnActions: ColumnActions | undefined
  readonly onClose: () => void
}

/** An entry of the menu. */
export interface MenuEntry {
  readonly id: string
  readonly label: string
  readonly icon?: ReactNode
  readonly shortcut?: string
  readonly isDanger?: boolean
  readonly isDisabled?: boolean
  /** Followed by a line. */
  readonly isLast?: boolean
  /** The menu stays open. */
  readonly isForm?: boolean
  readonly run: () => void
}

/** Forms that replace the menu at its place. */
export type MenuForm = 'filter' | 'width'
