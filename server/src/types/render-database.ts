import type { Column, Relationship, Table } from '@holdfast/postgres'
import { compareNames } from './compare-names.ts'
import { callableFunctions, computedFor, resultOf, signaturesOf } from './function-types.ts'
import { group, hardLine, indent, join, render, type Layout } from './layout.ts'
import { isView, mapType, nullable } from './map-type.ts'
import type { DatabaseTypes, PgType } from './read-database-types.ts'
import { renderHelpers } from './render-helpers.ts'
import {
  layOutKey,
  layOutList,
  layOutType,
  literal,
  name,
  NO_KEY,
  object,
  tuple,
  union,
  type Property,
  type TsType,
} from './syntax.ts'

const WIDTH = 80

/** API version for the client: its types distinguish major versions up to this one. */
const POSTGREST_VERSION = '14'

const JSON_TYPE = `export type Json =
  | string
  | number
  | boolean
  | null
  | { [key: string]: Json | undefined }
  | Json[]
`

/**
 * Renders the module of types for Supabase's client, `createClient<Database>()`, as `supabase gen types` does.
 *
 * @see `@supabase/postgrest-typegen` 0.2, whose output was compared with ours on public schemas
 */
export function renderDatabase(database: DatabaseTypes): string {
  const schemas = database.schemas.toSorted(compareNames)
  const type = object(schemas.map((schema) => ({ name: schema, type: schemaType(database, schema) })))
  const properties = render(layOutType(type), WIDTH).split('\n')
  return [
    JSON_TYPE,
    `export type Database = {
  // Allows to automatically instantiate createClient with right options
  // instead of createClient<Database, { PostgrestVersion: 'XX' }>(URL, KEY)
  __InternalSupabase: {
    PostgrestVersion: "${POSTGREST_VERSION}"
  }
${properties.slice(1).join('\n')}
`,
    renderHelpers(schemas[0] === undefined || schemas.includes('public') ? 'public' : schemas[0]),
    renderConstants(database, schemas),
  ].join('\n')
}

function schemaType(database: DatabaseTypes, schema: string): TsType {
  const tables = database.tables
    .filter((table) => table.schema === schema)
    .toSorted((a, b) => compareNames(a.name, b.name))
  const functions = Map.groupBy(callableFunctions(database, schema), (one) => one.name)
  const names = [...functions.keys()].toSorted(compareNames)
  return object([
    section(
      'Tables',
      tables.filter((table) => !isView(table)),
      (table) => tableType(database, table),
    ),
    section('Views', tables.filter(isView), (view) => viewType(database, view)),
    section(
      'Functions',
      names.map((one) => ({ name: one })),
      (one) => signaturesOf(database, functions.get(one.name) ?? []),
    ),
    section('Enums', enumsOf(database, schema), ({ labels }) => union(...labels.map(literal))),
    section(
      'CompositeTypes',
      typesOf(database, schema, ({ attributes }) => attributes.length > 0),
      ({ attributes }) =>
        object(attributes.map((one) => ({ name: one.name, type: nullable(mapType(database, one.typeOid), true) }))),
    ),
  ])
}

function section<T extends { readonly name: string }>(
  title: string,
  entries: readonly T[],
  typeOf: (entry: T) => TsType,
): Property {
  const properties = entries.map((entry) => ({ name: entry.name, type: typeOf(entry) }))
  return {
    name: title,
    type: object(properties.length > 0 ? properties : [{ name: NO_KEY, type: name('never') }]),
  }
}

function typesOf(database: DatabaseTypes, schema: string, isWanted: (type: PgType) => boolean): readonly PgType[] {
  return [...database.types.values()]
    .filter((type) => type.schema === schema && isWanted(type))
    .toSorted((a, b) => compareNames(a.name, b.name))
}

const enumsOf = (database: DatabaseTypes, schema: string): readonly PgType[] =>
  typesOf(database, schema, ({ labels }) => labels.length > 0)

function columnsOf({ columns }: Table): readonly Column[] {
  return columns.toSorted((a, b) => compareNames(a.name, b.name))
}

function rowOf(database: DatabaseTypes, table: Table): TsType {
  const computed = callableFunctions(database, table.schema)
    .filter((one) => computedFor(database, one, table.oid))
    .toSorted((a, b) => compareNames(a.name, b.name))
  return object([
    ...columnsOf(table).map((column) => ({
      name: column.name,
      type: nullable(mapType(database, column.baseTypeOid), column.nullable),
    })),
    ...computed.map((one) => ({ name: one.name, type: nullable(resultOf(database, one), true) })),
  ])
}

function tableType(database: DatabaseTypes, table: Table): TsType {
  const written = (isOptional: (column: Column) => boolean): TsType =>
    object(
      columnsOf(table).map((column) =>
        column.identity === 'always' || column.generated !== undefined
          ? { name: column.name, isOptional: true, type: name('never') }
          : {
              name: column.name,
              isOptional: isOptional(column),
              type: nullable(mapType(database, column.baseTypeOid), column.nullable),
            },
      ),
    )
  return object([
    { name: 'Row', type: rowOf(database, table) },
    {
      name: 'Insert',
      type: written((column) => column.nullable || column.identity !== undefined || column.default !== undefined),
    },
    { name: 'Update', type: written(() => true) },
    { name: 'Relationships', type: relationshipsOf(database, table) },
  ])
}

function viewType(database: DatabaseTypes, view: Table): TsType {
  const access = database.views.get(view.oid)
  const written = object(
    columnsOf(view).map((column) => ({
      name: column.name,
      isOptional: true,
      type: access?.writable.has(column.name) ? nullable(mapType(database, column.baseTypeOid), true) : name('never'),
    })),
  )
  return object([
    { name: 'Row', type: rowOf(database, view) },
    ...(access?.insertable ? [{ name: 'Insert', type: written }] : []),
    ...(access?.updatable ? [{ name: 'Update', type: written }] : []),
    { name: 'Relationships', type: relationshipsOf(database, view) },
  ])
}

type KeyRelationship = Extract<Relationship, { readonly fromHasKey: boolean }>

/** Relationships from the table's own keys to tables in the same schema. */
function relationshipsOf({ relationships }: DatabaseTypes, table: Table): TsType {
  const own = relationships.filter(
    (one): one is KeyRelationship =>
      one.kind !== 'many-to-many' && one.fromHasKey && one.fromOid === table.oid && one.toSchema === table.schema,
  )
  const ordered = own.toSorted(
    (a, b) =>
      compareNames(a.constraint, b.constraint) ||
      compareNames(a.toTable, b.toTable) ||
      compareNames(JSON.stringify(a.toColumns), JSON.stringify(b.toColumns)),
  )
  return tuple(
    ordered.map((one) =>
      object([
        { name: 'foreignKeyName', type: literal(one.constraint) },
        { name: 'columns', type: tuple(one.fromColumns.map(literal)) },
        { name: 'isOneToOne', type: name(String(one.kind === 'one-to-one')) },
        { name: 'referencedRelation', type: literal(one.toTable) },
        { name: 'referencedColumns', type: tuple(one.toColumns.map(literal)) },
      ]),
    ),
  )
}

/** Renders the labels of enums as values. */
function renderConstants(database: DatabaseTypes, schemas: readonly string[]): string {
  const block = (entries: readonly (readonly [string, Layout])[]): Layout =>
    entries.length === 0
      ? '{}'
      : group(['{', indent(entries.map(([key, value]) => [hardLine, layOutKey(key), ': ', value, ','])), hardLine, '}'])
  const constants = block(
    schemas.map((schema) => [
      schema,
      block([
        [
          'Enums',
          block(
            enumsOf(database, schema).map((one) => [
              one.name,
              layOutList(one.labels.map((label) => JSON.stringify(label))),
            ]),
          ),
        ],
      ]),
    ]),
  )
  return `${render(join('', ['export const Constants = ', constants, ' as const']), WIDTH)}\n`
}
