import type { DashboardTile, TileGroup, TileKind } from '@holdfast/protocol'
import type { Field } from '../../../lib/fields/field.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import { canGroup } from '../data/resolve-tile.ts'

/** Returns what a tile still needs. */
export function missing({ kind, group, stack, measure }: DashboardTile): string | undefined {
  if (isChart(kind) && !group) return words.chooseGroup
  if (kind === 'stacked' && !stack) return words.chooseGroup
  return measure && measure.kind !== 'count' && measure.field === undefined ? words.chooseNumber : undefined
}

/** New settings of a tile; `undefined` removes one. */
export type TileChange = { readonly [Key in keyof DashboardTile]?: DashboardTile[Key] | undefined }

/** Removes settings without a value. */
export function cleaned(tile: TileChange): DashboardTile {
  const kept = Object.entries(tile).filter(
    ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
  )
  return Object.fromEntries(kept) as unknown as DashboardTile
}

/** Keeps the settings that the new kind has, and chooses a likely field to group by. */
export function withKind(
  { id, title, table, filter, group, stack, measure, sort, fields: columns, width, height, linked }: DashboardTile,
  kind: TileKind,
  fields: readonly Field[],
): DashboardTile {
  const grouped = fields.filter((field) => canGroup(field) && !field.isTitle)
  const first = group ?? groupBy((kind === 'line' ? grouped.find(isDate) : undefined) ?? grouped[0])
  const others = grouped.filter(({ name, isSystem }) => name !== first?.field && !isSystem)
  const second =
    stack ??
    groupBy(
      others.find((field) => field.kind === 'choice') ??
        others.find((field) => field.kind === 'link' || field.kind === 'boolean') ??
        others[0],
    )
  return cleaned({
    id,
    kind,
    title,
    table,
    filter,
    group: isChart(kind) ? first : undefined,
    stack: kind === 'stacked' ? second : kind === 'line' ? stack : undefined,
    measure: isChart(kind) || kind === 'number' ? measure : undefined,
    sort: kind === 'table' ? sort : undefined,
    fields: kind === 'table' ? columns : undefined,
    width: kind === 'number' ? 1 : Math.max(2, width),
    height: kind === 'number' ? 1 : Math.max(2, height),
    linked,
    date: undefined,
    point: undefined,
  })
}

export function isDate({ kind }: Field): boolean {
  return kind === 'date' || kind === 'datetime'
}

export function groupBy(field: Field | undefined): TileGroup | undefined {
  if (!field) return undefined
  return isDate(field) ? { field: field.name, by: 'month' } : { field: field.name }
}

/** Whether tiles of a kind are charts, which group records. */
export function isChart(kind: TileKind): boolean {
  return kind === 'bar' || kind === 'line' || kind === 'stacked'
}
