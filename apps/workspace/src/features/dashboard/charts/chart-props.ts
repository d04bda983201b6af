import type { FilterGroup } from '../../../lib/filters/filter.ts'
import type { ChartData, Group } from '../data/tile-data.ts'

export interface ChartProps {
  readonly data: ChartData
  readonly format: (value: number | null) => string
  /** Shorter, for an axis. */
  readonly formatTick: (value: number) => string
  /** Returns the records of a group, or of its part; `undefined` where no link can lead to them. */
  readonly linkOf: (group: Group, part?: Group) => FilterGroup | undefined
  readonly workspace: string
  readonly table: string
}
