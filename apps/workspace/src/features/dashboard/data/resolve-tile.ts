import { DATE_STEPS, type DashboardFilter, type DashboardTile, type TileGroup } from '@holdfast/protocol'
import type { TableInfo } from '../../../lib/data/tables.ts'
import type { Field } from '../../../lib/fields/field.ts'
import { isPerson } from '../../../lib/fields/field.ts'
import { isNumeric } from '../../../lib/fields/field-kind.ts'
import { completeFilter, type FilterGroup, type FilterNode, NO_FILTER } from '../../../lib/filters/filter.ts'
import { parseFilter } from '../../../lib/filters/filter-text.ts'
import { dashboardMessages as words } from '../../../messages/dashboard.ts'
import { BUCKETS_MAX, CATEGORIES_MAX, LINE_BUCKETS_MAX, PARTS_MAX } from './tile-data.ts'
import { type GroupBy, hasZone, type Measure, type TileQuery } from './tile-sql.ts'

/** Kinds whose values are rarely shared, or have no name. */
const UNGROUPED: ReadonlySet<string> = new Set(['binary', 'json', 'long_text', 'uuid', 'number'])

export function canGroup({ kind }: Field): boolean {
  return !UNGROUPED.has(kind)
}

/** Returns the fields with numbers to calculate with. */
export function measuredFields(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ kind, isSystem }) => isNumeric(kind) && !isSystem)
}

/** Returns what a tile calculates, without the offsets of the zone; or why it cannot. */
export function resolveTile(
  tile: DashboardTile,
  table: TableInfo,
  fields: readonly Field[],
  shared: FilterGroup,
  today: string,
): TileQuery | { readonly problem: string } {
  const byName = new Map(fields.map((field) => [field.name, field]))
  const own = parseFilter(tile.filter)
  const missing =
    (tile.filter !== undefined && own === NO_FILTER ? words.itsFilter : undefined) ?? missingField(own, byName)
  if (missing !== undefined) return { problem: words.fieldGone(missing) }
  const group = groupOf(tile.kind === 'calendar' ? calendarGroup(tile, fields) : tile.group, byName)
  const stack = groupOf(tile.stack, byName)
  const measure = measureOf(tile, byName)
  if (typeof group === 'string') return { problem: words.fieldGone(group) }
  if (typeof stack === 'string') return { problem: words.fieldGone(stack) }
  if (typeof measure === 'string') return { problem: words.fieldGone(measure) }
  const isTime = group?.field.kind === 'date' || group?.field.kind === 'datetime'
  return {
    table: table.name,
    fields,
    filter: bothOf(completeFilter(own, byName), shared),
    today,
    measure,
    group,
    stack,
    shifts: [],
    groupsMax: !isTime ? CATEGORIES_MAX : tile.kind === 'line' ? LINE_BUCKETS_MAX : BUCKETS_MAX,
    partsMax: PARTS_MAX,
  }
}

/** A calendar counts by day: of the chosen date field, or of the most likely one. */
function calendarGroup({ date }: DashboardTile, fields: readonly Field[]): TileGroup | undefined {
  const dates = fields.filter(({ kind }) => kind === 'date' || kind === 'datetime')
  const own = dates.find(({ isSystem, name }) => !isSystem && /(^|_)(due|scheduled|planned|start)/.test(name))
  const name = date ?? (own ?? dates.find(({ isSystem }) => !isSystem) ?? dates[0])?.name
  return name === undefined ? undefined : { field: name, by: 'day' }
}

function bothOf(own: FilterGroup, shared: FilterGroup): FilterGroup {
  if (shared.nodes.length === 0) return own
  const nodes = own.kind === 'all' ? own.nodes : own.nodes.length === 0 ? [] : [own]
  return { kind: 'all', nodes: [...nodes, ...shared.nodes] }
}

function missingField(node: FilterNode, fields: ReadonlyMap<string, Field>): string | undefined {
  if (node.kind === 'condition') return fields.has(node.field) ? undefined : node.field
  return node.nodes.map((inner) => missingField(inner, fields)).find((name) => name !== undefined)
}

/** @returns the name of a field that is not there */
function groupOf(group: TileGroup | undefined, fields: ReadonlyMap<string, Field>): GroupBy | string | undefined {
  if (!group) return undefined
  const field = fields.get(group.field)
  return field && canGroup(field) ? { field, by: stepOf(group, field) } : group.field
}

function stepOf({ by }: TileGroup, { kind }: Field): GroupBy['by'] {
  return kind === 'date' || kind === 'datetime' ? (DATE_STEPS.find((step) => step === by) ?? 'month') : undefined
}

function measureOf({ measure }: DashboardTile, fields: ReadonlyMap<string, Field>): Measure | string {
  if (!measure || measure.field === undefined) return { kind: 'count', field: undefined }
  const field = fields.get(measure.field)
  return field && isNumeric(field.kind) ? { kind: measure.kind, field } : measure.field
}

/** Whether the tile groups moments, whose days depend on the zone. */
export function zonedField({ group, stack }: TileQuery): Field | undefined {
  return [group, stack].find((by) => by !== undefined && hasZone(by.field))?.field
}

/** Whether a field is of a dashboard's filter: the same name and kind, or for people the same table. */
export function suits(filter: DashboardFilter, field: Field): boolean {
  switch (filter.kind) {
    case 'date':
      return field.kind === 'date' || field.kind === 'datetime'
    case 'choice':
      return field.kind === 'choice'
    case 'person':
      return isPerson(field)
    default:
      return filter.kind satisfies never
  }
}

/** Returns the field of a tile that a filter of the dashboard applies to: the chosen one, or the one with its name. */
export function linkedField(filter: DashboardFilter, tile: DashboardTile, fields: readonly Field[]): Field | undefined {
  const name = tile.linked?.[filter.id] ?? filter.field
  const field = fields.find((one) => one.name === name)
  return field && suits(filter, field) ? field : undefined
}

/** Returns the conditions that the dashboard's filters, as they are in the address, put on a tile. */
export function sharedFilter(
  filters: readonly DashboardFilter[],
  chosen: FilterGroup,
  tile: DashboardTile,
  fields: readonly Field[],
): FilterGroup {
  const nodes = chosen.nodes.flatMap((node): readonly FilterNode[] => {
    if (node.kind !== 'condition') return []
    const filter = filters.find(({ id }) => id === node.field)
    const field = filter && linkedField(filter, tile, fields)
    return field ? [{ ...node, field: field.name }] : []
  })
  return completeFilter({ kind: 'all', nodes }, new Map(fields.map((field) => [field.name, field])))
}
