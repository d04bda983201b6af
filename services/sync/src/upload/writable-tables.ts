import { assert } from '@holdfast/foundation'
import { chooseRowKey, type TypeShape } from '@holdfast/policy'
import {
  baseTypesOf,
  columnTypesOf,
  isSetByPostgres,
  sql,
  uniqueIndexesOf,
  type SqlFragment,
  type Transaction,
  type UniqueIndex,
} from '@holdfast/postgres'
import { foldName, localColumnNames, tablesOfLocalName, type QualifiedName } from '@holdfast/protocol'
import { declaredMerge, mergesLines } from './merges-lines.ts'
import { readShapes } from './read-types.ts'

/** A column that uploads may contain. */
export interface WritableColumn {
  readonly name: string
  /** The column's local name. */
  readonly localName: string
  readonly shape: TypeShape
  /** `pg_type.typcategory` of the base type: `A` array, `B` boolean, `N` number, `D` date and time, … */
  readonly category: string
  /** Base type as printed by `format_type`, without modifier. */
  readonly type: string
  /** Whether an array's elements are json or jsonb, so that inner arrays are values rather than dimensions. */
  readonly elementIsJson: boolean
  /** Whether the column is generated, or an identity column that only Postgres sets. */
  readonly generated: boolean
  /** Whether the type (for arrays: the element type) has an equality operator, so a guard can compare values instead of texts. */
  readonly comparable: boolean
  /** Whether the column is guarded by `sync.guard_columns` or `sync.guard_rows`. */
  readonly guarded: boolean
  /** Whether versions of the text are merged line by line. */
  readonly merged: boolean
  /** IANA time zone in which dates and times from devices are carried over, after `sync.carry_dates`. */
  readonly dateZone: string | undefined
  /** New values by the old ones that devices may still write, after `sync.carry_values`. */
  readonly renamedValues: ReadonlyMap<string, string> | undefined
  /** Whether the column is NOT NULL or has a default, so NULL on a device means that it has not received the value yet. */
  readonly alwaysSet: boolean
}

export interface WritableTable {
  readonly schema: string
  readonly name: string
  /** By local name; only columns on which the caller has a privilege. */
  readonly columns: ReadonlyMap<string, WritableColumn>
  /**
   * Columns whose local name differs, by their Postgres name. Used by operations queued before a column got its local name, and by devices with their own
   * schema.
   */
  readonly plainColumns: ReadonlyMap<string, WritableColumn>
  /** Columns of the record id. */
  readonly key: { readonly columns: readonly WritableColumn[]; readonly deferrable: boolean }
  /** BEFORE and INSTEAD OF row triggers, which may replace an operation's effect and leave the row untouched. */
  readonly rowTriggers: readonly RowTrigger[]
}

export interface RowTrigger {
  readonly name: string
  readonly event: 'update' | 'delete'
}

/** Schemas that devices never write, even if an operator exposes them. */
const SYSTEM_SCHEMAS = new Set(['pg_catalog', 'information_schema', 'pg_toast', 'auth', 'sync'])

/** The tables that a caller may know. */
export interface TableScope {
  /** The caller's Postgres role. */
  readonly role: string
  /** The project's exposed schemas. */
  readonly schemas: readonly string[]
}

interface ColumnRow {
  readonly local: string
  readonly schema: string
  readonly table: string
  readonly column: string
  readonly category: string
  readonly type: string
  readonly base: string
  readonly is_built: boolean
  readonly unique_indexes: readonly UniqueIndex[]
  readonly element_is_json: boolean
  readonly generated: boolean
  readonly comparable: boolean
  readonly guarded: boolean
  readonly row_guarded: boolean
  /** `null` if nothing was declared for the table. */
  readonly merges_lines: boolean | null
  readonly date_zone: string | null
  readonly renamed_values: Readonly<Record<string, string>> | null
  readonly always_set: boolean
  readonly row_triggers: readonly RowTrigger[]
  /** Whether the caller has any privilege on the column. */
  readonly usable: boolean
}

/**
 * Finds tables by local name. Reads the catalog for every upload, because a verdict from an outdated catalog would be permanent.
 * Tables and columns without any privilege for the caller are treated as missing, so the response reveals nothing about the catalog.
 *
 * @returns tables by local name; if a name matches two tables, the one whose local name it is
 * @throws Postgres's 42704 if the role does not exist
 */
export async function findWritableTables(
  tx: Transaction,
  localNames: readonly string[],
  scope: TableScope,
): Promise<ReadonlyMap<string, WritableTable>> {
  const candidates = localNames.flatMap((local) =>
    tablesOfLocalName(local)
      .filter((table) => isWritable(table, scope))
      .map((table) => ({ local, ...table })),
  )
  const { role } = scope
  const rows = await tx.query<ColumnRow>(sql`
    with candidate as (
      select * from unnest(
        ${candidates.map((candidate) => candidate.local)}::text[],
        ${candidates.map((candidate) => candidate.schema)}::text[],
        ${candidates.map((candidate) => candidate.name)}::text[]
      ) with ordinality as candidate (local, schema, "table", rank)
    ),
    -- Views do not sync and take no name from a table.
    found as (
      select distinct on (candidate.local) candidate.local, candidate.schema, candidate."table", c.oid
        from candidate
        join pg_catalog.pg_namespace n on n.nspname = candidate.schema
        join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = candidate."table" and c.relkind in ('r', 'p', 'v')
       where pg_catalog.has_schema_privilege(${role}::name, n.oid, 'usage')
         and (pg_catalog.has_any_column_privilege(${role}::name, c.oid, 'select, insert, update')
              or pg_catalog.has_table_privilege(${role}::name, c.oid, 'delete'))
       order by candidate.local, c.relkind = 'v', candidate.rank
    ),
    -- Once for each table, not for each of its columns.
    row_triggers as materialized (select found.oid, ${rowTriggersOf(sql`found.oid`)} as list from found),
    base as (${baseTypesOf(columnTypesOf('found'))})
    select found.local, found.schema, found."table", a.attname as "column",
           base.typcategory as category,
           pg_catalog.format_type(base.base, null) as type,
           base.base::int8::text as base,
           base.typcategory = 'A' or base.typtype in ('c', 'r', 'm') as is_built,
           (select coalesce(json_agg(u), '[]'::json) from (${uniqueIndexesOf(sql`found.oid`)}) u) as unique_indexes,
           base.typcategory = 'A' and base.typelem in ('json'::regtype, 'jsonb'::regtype) as element_is_json,
           ${isSetByPostgres('a')} as generated,
           coalesce(element.typcategory, base.typcategory) in ('B', 'N', 'S', 'E', 'D', 'T', 'I')
             or coalesce(element.oid, base.base) in ('uuid'::regtype, 'jsonb'::regtype) as comparable,
           exists (select from sync.guards g
                    where g."table" = found.oid and g.scope in ('column', 'row')
                      and (g.columns is null or a.attname = any (g.columns))) as guarded,
           exists (select from sync.guards g where g."table" = found.oid and g.scope = 'row') as row_guarded,
           ${declaredMerge(sql`found.oid`)} as merges_lines,
           (select pg_catalog.substr(g.scope, 7) from sync.guards g
             where g."table" = found.oid and g.scope like 'dates:%' and a.attname = any (g.columns) limit 1) as date_zone,
           (select pg_catalog.jsonb_object_agg(v.old_value, v.new_value) from sync.renamed_values v
             where v."table" = found.oid and v."column" = a.attname) as renamed_values,
           a.attnotnull or a.atthasdef as always_set,
           row_triggers.list as row_triggers,
           pg_catalog.has_column_privilege(${role}::name, found.oid, a.attnum, 'select, insert, update') as usable
      from found
      join row_triggers on row_triggers.oid = found.oid
      join pg_catalog.pg_attribute a on a.attrelid = found.oid and a.attnum > 0 and not a.attisdropped
      join base on base.oid = a.atttypid
      left join pg_catalog.pg_type element on base.typcategory = 'A' and element.oid = base.typelem
  `)
  const built = rows.filter((row) => row.is_built)
  const shapeOf =
    built.length > 0 ? await readShapes(tx, [...new Set(built.map((row) => Number(row.base)))]) : undefined
  const tables = new Map<string, WritableTable>()
  for (const [local, ofTable] of Map.groupBy(rows, (row) => row.local)) tables.set(local, createTable(ofTable, shapeOf))
  return tables
}

function rowTriggersOf(table: SqlFragment): SqlFragment {
  return sql`
    (select coalesce(json_agg(distinct jsonb_build_object('name', t.tgname, 'event', event.name)), '[]'::json)
       from pg_catalog.pg_trigger t, (values ('delete', 8), ('update', 16)) as event (name, bit)
      where t.tgrelid in (select ${table} union all select p.relid from pg_catalog.pg_partition_tree(${table}) p)
        and t.tgtype & 1 <> 0 and t.tgtype & 66 <> 0 and t.tgtype & event.bit <> 0 and t.tgenabled <> 'D')`
}

function createTable(rows: readonly ColumnRow[], shapeOf: ((oid: number) => TypeShape) | undefined): WritableTable {
  const [first] = rows
  assert(first, 'a table has columns')
  // A view has no index, so its rows are identified by `id`.
  const key = chooseRowKey(first.unique_indexes) ?? { columns: ['id'], deferrable: false }
  const localNames = localColumnNames(
    rows.map((row) => row.column),
    key.columns,
  )
  const columns = new Map<string, WritableColumn>()
  const keyColumns = new Map<string, WritableColumn>()
  for (const row of rows) {
    const localName = localNames.get(row.column) ?? row.column
    const base = Number(row.base)
    const column: WritableColumn = {
      name: row.column,
      localName,
      shape: (row.is_built ? shapeOf?.(base) : undefined) ?? { kind: 'scalar', oid: base },
      category: row.category,
      type: row.type,
      elementIsJson: row.element_is_json,
      generated: row.generated,
      comparable: row.comparable,
      guarded: row.guarded,
      merged: !row.generated && mergesLines(row.merges_lines, row),
      dateZone: row.date_zone ?? undefined,
      renamedValues: row.renamed_values === null ? undefined : new Map(Object.entries(row.renamed_values)),
      alwaysSet: row.always_set,
    }
    if (row.usable) columns.set(localName, column)
    // The id identifies the row even if the caller has no privilege on its columns; Postgres then refuses the statement.
    if (key.columns.includes(row.column)) keyColumns.set(row.column, column)
  }
  return {
    schema: first.schema,
    name: first.table,
    columns,
    plainColumns: plainNames(columns, new Set(localNames.values())),
    key: { columns: key.columns.flatMap((name) => keyColumns.get(name) ?? []), deferrable: key.deferrable },
    rowTriggers: first.row_triggers,
  }
}

/** Finds a column by its local name or, unless that is another column's local name, by its Postgres name. */
export function columnNamed(name: string, table: WritableTable): WritableColumn | undefined {
  return table.columns.get(name) ?? table.plainColumns.get(name)
}

/** @param taken - all local names of the table. `id` is the record id */
function plainNames(
  columns: ReadonlyMap<string, WritableColumn>,
  taken: ReadonlySet<string>,
): ReadonlyMap<string, WritableColumn> {
  const other = [...columns.values()].filter(({ name }) => !taken.has(name) && foldName(name) !== 'id')
  return new Map(other.map((column) => [column.name, column]))
}

function isWritable({ schema }: QualifiedName, { schemas }: TableScope): boolean {
  return schemas.includes(schema) && !SYSTEM_SCHEMAS.has(schema) && !schema.startsWith('pg_')
}

const types = new WeakMap<WritableTable, string>()

/** Returns the columns and their types as part of the key of a prepared statement: Postgres fixes parameter types when it prepares one. */
export function typesOf(table: WritableTable): string {
  const known = types.get(table)
  if (known !== undefined) return known
  const text = JSON.stringify([...table.columns.values()].map(({ name, type }) => [name, type]))
  types.set(table, text)
  return text
}
