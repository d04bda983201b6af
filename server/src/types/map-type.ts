import type { DatabaseTypes, PgType } from './read-database-types.ts'
import { arrayOf, literal, name, orNull, union, type TsType } from './syntax.ts'

const NUMBERS = new Set(['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'])
const STRINGS = new Set([
  'bytea',
  'bpchar',
  'varchar',
  'date',
  'text',
  'citext',
  'time',
  'timetz',
  'timestamp',
  'timestamptz',
  'uuid',
  'vector',
  'interval',
])

/** Returns the TypeScript type of a Postgres type's JSON in the REST API. */
export function mapType(database: DatabaseTypes, oid: number): TsType {
  const type = database.types.get(oid)
  if (!type) return name('unknown')
  if (type.name === 'bool') return name('boolean')
  if (NUMBERS.has(type.name)) return name('number')
  if (STRINGS.has(type.name)) return name('string')
  if (type.name === 'json' || type.name === 'jsonb') return name('Json')
  if (type.name === 'void') return name('undefined')
  if (type.name === 'record') return name('Record<string, unknown>')
  if (type.elementOid !== 0 && type.name.startsWith('_')) return arrayOf(mapType(database, type.elementOid))
  return mapNamed(database, type)
}

function mapNamed({ schemas, tables }: DatabaseTypes, type: PgType): TsType {
  const isDescribed = schemas.includes(type.schema)
  if (type.labels.length > 0)
    return isDescribed ? member(type.schema, 'Enums', type.name) : union(...type.labels.map(literal))
  if (!isDescribed) return name('unknown')
  if (type.attributes.length > 0) return member(type.schema, 'CompositeTypes', type.name)
  const table = tables.find(({ oid }) => oid === type.relationOid)
  if (!table) return name('unknown')
  return name(`${member(table.schema, isView(table) ? 'Views' : 'Tables', table.name).text}["Row"]`)
}

function member(schema: string, group: string, what: string): Extract<TsType, { kind: 'name' }> {
  return { kind: 'name', text: `Database[${JSON.stringify(schema)}]["${group}"][${JSON.stringify(what)}]` }
}

export function isView({ kind }: { readonly kind: string }): boolean {
  return kind === 'view' || kind === 'materialized view'
}

/** Adds null to a column's type, except for `Json` and `unknown`, which include it. */
export function nullable(type: TsType, isNullable: boolean): TsType {
  if (type.kind === 'name' && type.text === 'Json' && !isNullable) return name('NonNullable<Json>')
  return !isNullable || (type.kind === 'name' && type.text === 'unknown') ? type : orNull(type)
}
