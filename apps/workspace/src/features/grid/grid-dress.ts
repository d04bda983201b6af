import type { ComponentType, ReactNode } from 'react'
import type { TableInfo } from '../../lib/data/tables.ts'
import type { GridColumn } from './grid-layout.ts'
import type { RowGroup } from './row-groups.ts'
import type { GridRow } from './window-cache.ts'

export interface GroupItemProps {
  readonly table: TableInfo
  readonly group: RowGroup
  readonly onToggle: (key: string) => void
}

export interface GroupRowProps extends GroupItemProps {
  /** Row index in the view, from 0. */
  readonly index: number
  readonly columns: readonly GridColumn[]
  readonly drawn: readonly number[]
  readonly height: number
  readonly width: number
  readonly isActive: boolean
}

/** How a colour rule marks a record or one of its values. */
export interface ToneLooks {
  readonly word: string
  /** Class of the background. */
  readonly fill: string
  /** The shape alone, and the shape with a text for screen readers. */
  readonly glyph: ReactNode
  readonly labelled: ReactNode
}

/** How a view's settings change its grid. Views without such settings load no code for them. */
export interface GridDress {
  /** Widths chosen by users, in pixels by field. */
  readonly widths: ReadonlyMap<string, number>
  /** Number of columns to freeze at the left. `undefined`: as many as the window allows. */
  readonly frozen: number | undefined
  /** `undefined`: the device's setting applies. */
  readonly rowPx: number | undefined
  /** The row has room for several lines. */
  readonly isTall: boolean
  /** @param field - `undefined`: the whole record */
  toneOf(row: GridRow, field: string | undefined): ToneLooks | undefined
  readonly GroupRow: ComponentType<GroupRowProps>
  readonly GroupItem: ComponentType<GroupItemProps>
}
