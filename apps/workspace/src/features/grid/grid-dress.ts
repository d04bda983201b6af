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
  /** Place in the view, from 0. */
  readonly index: number
  readonly columns: readonly GridColumn[]
  readonly drawn: readonly number[]
  readonly height: number
  readonly width: number
  readonly isActive: boolean
}

/** How a rule marks a record or one of its values. */
export interface ToneLooks {
  readonly word: string
  /** The class of the background. */
  readonly fill: string
  /** A shape for eyes, and one that is read out. */
  readonly glyph: ReactNode
  readonly labelled: ReactNode
}

/** How the settings of a view change its grid; a view without them has none, and loads nothing for them. */
export interface GridDress {
  /** Chosen by people, in pixels by field. */
  readonly widths: ReadonlyMap<string, number>
  /** Columns that should stay at the left; `undefined`: as the width of the window allows. */
  readonly frozen: number | undefined
  /** `undefined`: as the device has it. */
  readonly rowPx: number | undefined
  /** There is room for some lines. */
  readonly isTall: boolean
  /** @param field - `undefined`: the whole record */
  toneOf(row: GridRow, field: string | undefined): ToneLooks | undefined
  readonly GroupRow: ComponentType<GroupRowProps>
  readonly GroupItem: ComponentType<GroupItemProps>
}
