import { tableSql } from '../../../lib/fields/table-sql.ts'
import type { SqlPart } from '../../../lib/sql.ts'
import { columnsSql, type GridQuery, whereSql } from '../query/grid-query.ts'
import type { GridRow } from '../window-cache.ts'
import { degreesSql, type PointFields } from '../../../lib/map/point-fields.ts'
import type { Bounds } from '../../../lib/map/projection.ts'

/** A record, or a cluster with the columns of one of its records. */
export type Spot = GridRow & {
  readonly '#count': number
  /** Centre of the records. */
  readonly '#lon': number
  readonly '#lat': number
  readonly '#west': number
  readonly '#south': number
  readonly '#east': number
  readonly '#north': number
}

/** A part of the map in whole cells; records in the same cell form a cluster. */
export interface Cells extends Bounds {
  readonly lonStep: number
  readonly latStep: number
}

/** Returns the cells that cover the bounds. They are aligned to a fixed grid, so that clusters stay the same while the map moves. */
export function cellsOver(bounds: Bounds, lonStep: number, latStep: number): Cells {
  const down = (value: number, step: number): number => Math.floor(value / step) * step
  const up = (value: number, step: number): number => Math.ceil(value / step) * step
  return {
    west: down(bounds.west, lonStep),
    east: up(bounds.east, lonStep),
    south: down(bounds.south, latStep),
    north: up(bounds.north, latStep),
    lonStep,
    latStep,
  }
}

/** Selects one row per cell within the bounds, with one record of each cluster. */
export function spotsSql(query: GridQuery, point: PointFields, cells: Cells): SqlPart {
  const { lon, lat } = degreesSql(point)
  const where = whereSql(query)
  const table = tableSql(query)
  return {
    text: `with here as materialized (select t.id, ${lon} as lon, ${lat} as lat from ${table}${where.text}),
      spots as (
        select min(id) as id, count(*) as rows, avg(lon) as lon, avg(lat) as lat,
               min(lon) as west, max(lon) as east, min(lat) as south, max(lat) as north
          from here where lon >= ? and lon < ? and lat >= ? and lat < ?
         group by cast((lon + 360) / ? as integer), cast((lat + 180) / ? as integer))
      select s.rows as "#count", s.lon as "#lon", s.lat as "#lat", s.west as "#west", s.east as "#east",
             s.south as "#south", s.north as "#north", ${columnsSql({ ...query, rules: [] }).text}
        from spots s cross join ${table} on t.id = s.id order by s.lat desc, s.lon`,
    values: [...where.values, cells.west, cells.east, cells.south, cells.north, cells.lonStep, cells.latStep],
  }
}

/** Selects the records in one part of the map. */
export function recordsAtSql(query: GridQuery, point: PointFields, bounds: Bounds, limit: number): SqlPart {
  const { lon, lat } = degreesSql(point)
  const where = whereSql(query, {
    text: `${lon} between ? and ? and ${lat} between ? and ?`,
    values: [bounds.west, bounds.east, bounds.south, bounds.north],
  })
  return {
    text: `select ${columnsSql({ ...query, rules: [] }).text} from ${tableSql(query)}${where.text} limit ?`,
    values: [...where.values, limit],
  }
}

/** Bounds of all records of the view, and the number of records with coordinates. */
export interface Extent extends Bounds {
  readonly placed: number
}

export function extentSql(query: GridQuery, point: PointFields): SqlPart {
  const { lon, lat } = degreesSql(point)
  const where = whereSql(query)
  return {
    text: `select min(lon) as west, max(lon) as east, min(lat) as south, max(lat) as north, count(lon) as placed
             from (select ${lon} as lon, ${lat} as lat from ${tableSql(query)}${where.text})
            where lon between -180 and 180 and lat between -90 and 90`,
    values: where.values,
  }
}
