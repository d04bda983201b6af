import type { CommonPowerSyncDatabase } from '@powersync/common'
import { tableSql } from '../../lib/fields/table-sql.ts'
import { type GridQuery, orderSql, whereSql } from './query/grid-query.ts'
import type { RowWindows } from './row-windows.ts'

/**
 * Returns the ids of a view's records, loaded or not.
 *
 * @param range - first and last row; `undefined`: the whole view, including collapsed groups
 */
export async function readRowIds(
  {
    database,
    windows,
    query,
  }: {
    readonly database: Pick<CommonPowerSyncDatabase, 'getAll'>
    readonly windows: Pick<RowWindows, 'getState' | 'read'> | undefined
    readonly query: GridQuery
  },
  range: readonly [first: number, last: number] | undefined,
): Promise<readonly string[]> {
  if (range && windows && windows.getState().levels > 0) {
    return (await windows.read(...range)).map(({ id }) => id)
  }
  const where = whereSql(query, undefined, range === undefined)
  const page = range ? ` order by ${orderSql(query)} limit ? offset ?` : ''
  const rows = await database.getAll<{ readonly id: string }>(
    `select t.id as id from ${tableSql(query)}${where.text}${page}`,
    [...where.values, ...(range ? [range[1] - range[0] + 1, range[0]] : [])],
  )
  return rows.map(({ id }) => id)
}
