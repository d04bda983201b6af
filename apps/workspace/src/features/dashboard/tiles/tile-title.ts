import type { DashboardTile } from '@holdfast/protocol'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import type { TileQuery } from '../data/tile-sql.ts'

/** Returns a tile's title: its own, or what it shows. */
export function tileTitle(
  tile: DashboardTile,
  table: TableInfo,
  query: Pick<TileQuery, 'measure' | 'group' | 'stack'> | undefined,
): string {
  if (tile.title !== undefined) return tile.title
  const what = measureLabel(table, query?.measure)
  const isGrouped = tile.kind === 'bar' || tile.kind === 'line' || tile.kind === 'stacked'
  if (!isGrouped || !query?.group) return tile.kind === 'number' ? what : table.label
  const split = tile.kind === 'bar' ? undefined : query.stack
  return split ? words.andBy(what, query.group.field.label, split.field.label) : words.by(what, query.group.field.label)
}

/** Returns what a tile calculates: the table for a count, else the field and how. */
export function measureLabel(table: TableInfo, measure: TileQuery['measure'] | undefined): string {
  return words.measureOf[measure?.kind ?? 'count'](measure?.field?.label ?? table.label)
}
