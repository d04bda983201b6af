import type { CommonPowerSyncDatabase } from '@powersync/common'
import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import { useEffect, useMemo } from 'react'
import { useToday } from '../../hooks/use-today.ts'
import type { Field } from '../../lib/fields/field.ts'
import { useFields } from '../../lib/fields/use-fields.ts'
import { quoteName } from '../../lib/sql.ts'
import { parseFilter } from '../../lib/filters/filter-text.ts'
import { useView } from '../../lib/views/use-views.ts'
import { type AddressSettings, mergeSettings } from '../../lib/views/view-settings.ts'
import { parseGroups } from './groups/parse-groups.ts'
import { gridQueryOf } from './query/grid-query-of.ts'
import { neighbourSql } from './query/neighbour-sql.ts'
import { ensureSortIndex, SORT_INDEX_ROWS_MIN } from './sort-index.ts'

/** The view that a record was opened from, as stored in its URL. */
export interface ViewOfRecord extends Pick<AddressSettings, 'f' | 's' | 'g'> {
  /** Id of a saved view. */
  readonly v?: string | undefined
  readonly q?: string | undefined
}

/** The previous and next record. */
export interface Neighbours {
  readonly previous: string | undefined
  readonly next: string | undefined
}

/** Minimum interval in ms between look-ups. Every change of the table may change the neighbours. */
const THROTTLE_MS = 1_000

/**
 * Returns a record's neighbours in the view that it was opened from; without a view, among all records in the table's own order.
 *
 * @param table - local name; a table that is not on this device is not queried
 */
export function useNeighbours(table: string, id: string, from: ViewOfRecord): Neighbours {
  const { database } = useLocalDatabase()
  const schema = useSchema()
  const today = useToday()
  const { view: saved } = useView(table, from.v)
  const { filter, sort, group = '' } = mergeSettings(saved?.settings ?? {}, from)
  const search = from.q ?? ''
  const descriptor = schema.tables.find(({ name }) => name === table)
  const fields = useFields(descriptor, today)
  const query = useMemo(() => {
    if (fields.length === 0) return undefined
    return gridQueryOf({
      table,
      fields,
      search,
      filter: parseFilter(filter),
      sort,
      today,
    })
  }, [fields, table, search, filter, sort, today])
  const groups = useMemo(() => parseGroups(group, query?.fields ?? []), [group, query])
  const outer = groups[0] ?? query?.sorts[0]
  const first = query?.fields.find(({ name }) => name === outer?.field)
  useEffect(() => {
    if (first) void ensureWhereLarge(database, table, first)
  }, [database, table, first])
  const { text, values } = useMemo(
    () => (query ? neighbourSql(query, id, groups) : { text: '', values: [] }),
    [query, id, groups],
  )
  const { rows, isCurrent } = useRecords<{ readonly previous: string | null; readonly next: string | null }>(
    text,
    values,
    { throttleMs: THROTTLE_MS },
  )
  const found = isCurrent ? rows[0] : undefined
  return { previous: found?.previous ?? undefined, next: found?.next ?? undefined }
}

/** Ensures the sort index of a large table, because a record may be opened without the grid. */
async function ensureWhereLarge(database: CommonPowerSyncDatabase, table: string, field: Field): Promise<void> {
  const isLarge = await database.getOptional(`select 1 from ${quoteName(table)} limit 1 offset ${SORT_INDEX_ROWS_MIN}`)
  if (isLarge) await ensureSortIndex(database, table, field)
}
