import type { DashboardTile } from '@holdfast/protocol'
import { useRecords } from '@holdfast/react'
import { useMemo } from 'react'
import { useToday } from '../../../hooks/use-today.ts'
import type { TableInfo } from '../../../lib/data/tables.ts'
import { useFindTable, useTables } from '../../../lib/data/use-tables.tsx'
import type { Field } from '../../../lib/fields/field.ts'
import { useFields } from '../../../lib/fields/use-fields.ts'
import { useWorkspaceZone } from '../../../lib/time-zone.ts'
import { resolveTile, sharedFilter, zonedField } from './resolve-tile.ts'
import { yearsSql, type TileQuery } from './tile-sql.ts'
import { zoneShifts } from './zone-shifts.ts'
import type { SharedFilters } from '../shared-filters.ts'

/** Pause in ms between two calculations while rows change. */
export const TILE_PAUSE_MS = 2_000

export interface ResolvedTile {
  readonly table: TableInfo
  readonly fields: readonly Field[]
  /** `undefined` until the offsets of the zone are known. */
  readonly query: TileQuery | undefined
}

/** Returns what a tile shows; `undefined` without its table, or why it cannot be shown. */
export function useTile(
  tile: DashboardTile,
  shared: SharedFilters,
  isSeen: boolean,
): ResolvedTile | { readonly problem: string } | undefined {
  const tables = useTables()
  const find = useFindTable()
  const table =
    tables.find(({ name }) => name === tile.table) ?? (tile.table.startsWith('hf_') ? undefined : find(tile.table))
  const today = useToday()
  const fields = useFields(table?.descriptor, today)
  const resolved = useMemo(
    () =>
      table
        ? resolveTile(tile, table, fields, sharedFilter(shared.filters, shared.chosen, tile, fields), today)
        : undefined,
    [tile, table, fields, shared, today],
  )
  const query = resolved && !('problem' in resolved) ? resolved : undefined
  const zoned = query && zonedField(query)
  const { zone } = useWorkspaceZone()
  const asked = query && zoned && isSeen ? yearsSql(query, zoned) : undefined
  const years = useRecords<{ readonly first: string | null; readonly last: string | null }>(
    asked?.text ?? '',
    asked?.values ?? [],
    {
      throttleMs: TILE_PAUSE_MS,
    },
  )
  const { first, last } = years.rows[0] ?? {}
  const [firstYear, lastYear] = [Number(first ?? today.slice(0, 4)), Number(last ?? today.slice(0, 4))]
  const areKnown = zoned === undefined || !years.isLoading
  const whole = useMemo(
    () => (query && areKnown ? { ...query, shifts: zoned ? zoneShifts(zone, firstYear, lastYear) : [] } : undefined),
    [query, areKnown, zoned, zone, firstYear, lastYear],
  )
  if (!table || !resolved) return undefined
  return 'problem' in resolved ? resolved : { table, fields, query: whole }
}
