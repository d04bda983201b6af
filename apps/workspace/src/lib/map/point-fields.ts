import type { Field } from '../fields/field.ts'
import { isNumeric } from '../fields/field-kind.ts'
import { quoteName } from '../sql.ts'

/** The fields with a record's coordinates: two numbers, or one value with both. */
export type PointFields =
  | { readonly kind: 'pair'; readonly lat: Field; readonly lon: Field }
  | { readonly kind: 'point' | 'wkt' | 'json'; readonly field: Field }

const LAT = /^(.*?)_?(lat|latitude)$/
const LON = /^(.*?)_?(lon|lng|long|longitude)$/

/** Returns the fields that a map can use, most likely first. */
export function pointFields(fields: readonly Field[]): readonly PointFields[] {
  const numbers = fields.filter(({ kind }) => isNumeric(kind))
  const pairs = numbers.flatMap((lat): readonly PointFields[] => {
    const [, prefix] = LAT.exec(lat.name) ?? []
    const lon = prefix === undefined ? undefined : numbers.find(({ name }) => LON.exec(name)?.[1] === prefix)
    return lon ? [{ kind: 'pair', lat, lon }] : []
  })
  const single = fields.flatMap((field): readonly PointFields[] => {
    const { type } = field.column
    if (type === 'point') return [{ kind: 'point', field }]
    if (/^(geometry|geography)\b/.test(type)) return [{ kind: 'wkt', field }]
    const isNamed = /(^|_)(location|position|coordinates|point|geo|geom|place)$/.test(field.name)
    if (isNamed && field.kind === 'json' && !type.endsWith('[]')) return [{ kind: 'json', field }]
    return isNamed && field.kind === 'text' && /wkt|geom|point/.test(field.name) ? [{ kind: 'wkt', field }] : []
  })
  return [...pairs, ...single]
}

/** Renders the setting: `lat,lon`, or the one field. */
export function renderPoint(point: PointFields): string {
  return point.kind === 'pair' ? `${point.lat.name},${point.lon.name}` : point.field.name
}

/** Returns the fields of the setting, or the most likely ones. The setting may pair any two numbers, whatever their names. */
export function pointFieldsOf(fields: readonly Field[], setting: string | undefined): PointFields | undefined {
  const usable = pointFields(fields)
  const known = usable.find((point) => renderPoint(point) === setting)
  if (known || setting === undefined) return known ?? usable[0]
  const [lat, lon] = setting.split(',').map((name) => fields.find((field) => field.name === name))
  return lat && lon && isNumeric(lat.kind) && isNumeric(lon.kind) ? { kind: 'pair', lat, lon } : usable[0]
}

/** Returns the displayed name of the fields. */
export function pointLabel(point: PointFields): string {
  return point.kind === 'pair' ? `${point.lat.label}, ${point.lon.label}` : point.field.label
}

/**
 * Returns SQL for the coordinates of a record of the table `t`; NULL without valid coordinates. PostGIS's own output (hexadecimal WKB) is not supported,
 * because SQLite cannot parse it.
 */
export function degreesSql(point: PointFields): { readonly lon: string; readonly lat: string } {
  if (point.kind === 'pair') {
    const degrees = (field: Field): string => `cast(t.${quoteName(field.name)} as real)`
    const both = (text: string): string =>
      `iif(t.${quoteName(point.lat.name)} is null or t.${quoteName(point.lon.name)} is null, null, ${text})`
    return { lon: both(degrees(point.lon)), lat: both(degrees(point.lat)) }
  }
  const column = `t.${quoteName(point.field.name)}`
  if (point.kind === 'json') {
    const at = (paths: readonly string[]): string =>
      `iif(json_valid(${column}), coalesce(${paths.map((path) => `json_extract(${column}, '${path}')`).join(', ')}), null)`
    return {
      lon: at(['$.coordinates[0]', '$.lon', '$.lng', '$.longitude']),
      lat: at(['$.coordinates[1]', '$.lat', '$.latitude']),
    }
  }
  // Postgres writes `(1.5,2)`, PostGIS `SRID=4326;POINT(1.5 2)`: the part in parentheses is nearly JSON.
  const inner = `trim(substr(${column}, instr(${column}, '(') + 1), ' )')`
  const list = `'[' || ${point.kind === 'point' ? inner : `replace(${inner}, ' ', ',')`} || ']'`
  const at = (place: 0 | 1): string => `iif(json_valid(${list}), json_extract(${list}, '$[${place}]'), null)`
  return { lon: at(0), lat: at(1) }
}
