import type { TableInfo } from '../../lib/data/tables.ts'
import type { GridColumn } from './grid-layout.ts'
import type { RowGroup } from './row-groups.ts'

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
