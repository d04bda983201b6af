import type { TableDescriptor } from '@holdfast/protocol'
import { quoteName } from '../sql.ts'

/** Columns with a record's position in degrees (WGS 84). */
export interface PositionColumns {
  readonly lat: string
  readonly lon: string
}

const LATITUDES = ['lat', 'latitude']
const LONGITUDES = ['lon', 'lng', 'long', 'longitude']
const NUMBERS = /^(double precision|real|numeric)/

/** Returns a table's position columns: two number columns with common names; `undefined` without them. */
export function positionOf({ columns }: TableDescriptor): PositionColumns | undefined {
  const named = (names: readonly string[]): string | undefined =>
    columns.find(({ name, type }) => names.includes(name) && NUMBERS.test(type))?.name
  const lat = named(LATITUDES)
  const lon = named(LONGITUDES)
  return lat === undefined || lon === undefined ? undefined : { lat, lon }
}

/** Whether a column is half of a position, which is meaningless alone. */
export function isCoordinate(name: string): boolean {
  return LATITUDES.includes(name) || LONGITUDES.includes(name)
}

/** A position in degrees (WGS 84). */
export interface Position {
  readonly lat: number
  readonly lon: number
}

const EARTH_RADIUS_M = 6_371_000

/** Distance in meters by the haversine formula. */
export function metresBetween(a: Position, b: Position): number {
  const [latA, latB] = [radians(a.lat), radians(b.lat)]
  const half =
    Math.sin((latB - latA) / 2) ** 2 + Math.cos(latA) * Math.cos(latB) * Math.sin(radians(b.lon - a.lon) / 2) ** 2
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(half)))
}

/**
 * SQL for the records nearest to a position: `id`, `title`, `lat`, `lon`. Uses planar distance, which is accurate enough nearby.
 *
 * @param title - title column, if any
 */
export function nearestSql(
  table: TableDescriptor,
  { lat, lon }: PositionColumns,
  title: string | undefined,
  from: Position,
  limit: number,
): { readonly sql: string; readonly parameters: readonly number[] } {
  const [latitude, longitude] = [`t.${quoteName(lat)}`, `t.${quoteName(lon)}`]
  // The shorter way around the earth.
  const east = `min(abs(${longitude} - ?), 360 - abs(${longitude} - ?)) * ?`
  return {
    sql: `select t.id as id, ${title === undefined ? 'null' : `t.${quoteName(title)}`} as title,
                 cast(${latitude} as real) as lat, cast(${longitude} as real) as lon
            from ${quoteName(table.name)} t
           where ${latitude} is not null and ${longitude} is not null
           order by (${latitude} - ?) * (${latitude} - ?) + (${east}) * (${east}), t.id limit ${limit}`,
    parameters: [
      from.lat,
      from.lat,
      ...Array.from({ length: 2 }, () => [from.lon, from.lon, Math.cos(radians(from.lat))]).flat(),
    ],
  }
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180
}
