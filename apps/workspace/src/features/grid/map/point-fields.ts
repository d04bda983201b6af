import type { Field } from '../../../lib/fields/field.ts'
import { isNumeric } from '../../../lib/fields/field-kind.ts'
import { quoteName } from '../../../lib/sql.ts'

/** Where a record has its place: two numbers, or one value with both. */
export type PointFields =
  | { readonly kind: 'pair'; readonly lat: Field; readonly lon: Field }
  | { readonly kind: 'point' | 'wkt' | 'json'; readonly field: Field }

const LAT = /^(.*?)_?(lat|latitude)$/
const LON = /^(.*?)_?(lon|lng|long|longitude)$/

/** What a map can go by, the most usual first. */
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

/** The text of the setting: `lat,lon`, or the one field. */
export function renderPoint(point: PointFields): string {
  return point.kind === 'pair' ? `${point.lat.name},${point.lon.name}` : point.field.name
}

/** What the view says, or the most usual one. A pair need not be named like one. */
export function pointFieldsOf(fields: readonly Field[], setting: string | undefined): PointFields | undefined {
  const usable = pointFields(fields)
  const known = usable.find((point) => renderPoint(point) === setting)
  if (known || setting === undefined) return known ?? usable[0]
  const [lat, lon] = setting.split(',').map((name) => fields.find((field) => field.name === name))
  return lat && lon && isNumeric(lat.kind) && isNumeric(lon.kind) ? { kind: 'pair', lat, lon } : usable[0]
}

/** What people call it. */
export function pointLabel(point: PointFields): string {
  return point.kind === 'pair' ? `${point.lat.label}, ${point.lon.label}` : point.field.label
}

/**
 * The degrees of a record of the table `t`; NULL for what has no place or one that cannot be read. PostGIS's own form of
 * a value (hexadecimal WKB) is not read here: SQLite has nothing for it.
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
  // `(1.5,2)` of Postgres, and `SRID=4326;POINT(1.5 2)`: what is between the brackets is nearly JSON.
  const inner = `trim(substr(${column}, instr(${column}, '(') + 1), ' )')`
  const list = `'[' || ${point.kind === 'point' ? inner : `replace(${inner}, ' ', ',')`} || ']'`
  const at = (place: 0 | 1): string => `iif(json_valid(${list}), json_extract(${list}, '$[${place}]'), null)`
  return { lon: at(0), lat: at(1) }
}
