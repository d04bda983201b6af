import {
  baseTypesOf,
  columnTypesOf,
  ENUM_LABELS,
  FOREIGN_KEYS,
  isSetByPostgres,
  sql,
  type Connections,
  type SqlFragment,
} from '@holdfast/postgres'
import type { ColumnDescriptor, ComputedDefault, TableDescriptor } from '@holdfast/protocol'
import { declaredMerge, mergesLines } from '../upload/merges-lines.ts'
import type { CheckChoices, ChoicesOf } from './check-choices.ts'

/** A synced table and its local name. */
export interface SyncedTable {
  readonly schema: string
  readonly name: string
  readonly localName: string
  /** Columns of the record id. */
  readonly key: { readonly columns: readonly string[] }
  readonly columns: readonly { readonly name: string; readonly localName: string }[]
}

interface ColumnRow {
  readonly column: string
  readonly type: string
  /** `pg_type.typname` of the base type. */
  readonly base: string
  readonly nullable: boolean
  readonly has_default: boolean
  /** Its call of a function of schema `holdfast`. */
  readonly default_call: string | null
  readonly generated: boolean
  readonly choices: readonly string[] | null
  readonly references_schema: string | null
  readonly references_table: string | null
  readonly references_column: string | null
  readonly comment: string | null
  /** `null` if no guards were declared for columns of this table. */
  readonly guards_column: boolean | null
  readonly guards_row: boolean | null
  readonly row_guarded: boolean
  readonly merges_lines: boolean | null
  readonly is_unique: boolean
}

interface TableRow {
  readonly schema: string
  readonly table: string
  readonly comment: string | null
  readonly can_insert: boolean
  readonly can_update: boolean
  readonly can_delete: boolean
  readonly has_history: boolean
  readonly guests_read: boolean
  readonly guests_change: boolean
  readonly columns: readonly ColumnRow[]
}

/** Column types that fit SQLite's 64-bit integers; booleans are 0 and 1. */
const INTEGERS = new Set(['int2', 'int4', 'int8', 'oid', 'bool'])
const REALS = new Set(['float4', 'float8'])

/** Enum columns with these names hold a record's state: views sort by them, and changes are guarded. */
const STATE_COLUMNS = new Set(['state', 'status'])

/**
 * Describes the synced tables for a role: selectable columns and granted writes, in local-name order. Omits tables without selectable columns.
 *
 * @param checkChoices - reads choices from CHECKs
 */
export async function describeTables(
  pool: Connections,
  tables: readonly SyncedTable[],
  role: string,
  checkChoices: CheckChoices,
): Promise<readonly TableDescriptor[]> {
  const rows = await pool.query<TableRow>(sql`
    with synced as (
      select c.oid, n.nspname as schema, c.relname as "table", wanted.local
        from unnest(${tables.map((table) => table.schema)}::text[], ${tables.map((table) => table.name)}::text[],
                    ${tables.map((table) => table.localName)}::text[]) as wanted (schema, "table", local)
        join pg_catalog.pg_namespace n on n.nspname = wanted.schema
        join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = wanted."table"
    ),
    base as (${baseTypesOf(columnTypesOf('synced'))}),
    labels as (${ENUM_LABELS}),
    link as (
      select key.relation, key.columns[1] as "column", key."targetSchema", key."targetTable", key."targetColumns"[1] as "targetColumn",
             row_number() over (partition by key.relation, key.columns[1] order by key.name) as rank
        from (${FOREIGN_KEYS}) as key
        join synced on synced.oid = key.relation
       where cardinality(key.columns) = 1
    )
    select synced.schema, synced."table",
           obj_description(synced.oid, 'pg_class') as comment,
           has_any_column_privilege(${role}, synced.oid, 'insert') as can_insert,
           has_any_column_privilege(${role}, synced.oid, 'update') as can_update,
           has_table_privilege(${role}, synced.oid, 'delete') as can_delete,
           exists (select from pg_catalog.pg_trigger h where h.tgrelid = synced.oid and h.tgname = 'holdfast_history') as has_history,
           ${asksForShares('synced', 'shared_record_ids', 'r')} as guests_read,
           ${asksForShares('synced', 'changeable_record_ids', 'w')} as guests_change,
           json_agg(json_build_object(
             'column', a.attname,
             'type', format_type(a.atttypid, a.atttypmod),
             'base', base.typname,
             'nullable', not a.attnotnull,
             'has_default', a.atthasdef or a.attidentity <> '',
             'default_call', (select case when starts_with(d.call, 'holdfast.') then d.call end
                                -- Without the relation, which would be locked: only generated columns read others.
                                from (select case when a.attgenerated = '' then pg_catalog.pg_get_expr(e.adbin, 0) end as call
                                        from pg_catalog.pg_attrdef e where e.adrelid = synced.oid and e.adnum = a.attnum) d),
             'generated', ${isSetByPostgres('a')},
             'choices', labels.labels,
             'references_schema', link."targetSchema",
             'references_table', link."targetTable",
             'references_column', link."targetColumn",
             'comment', col_description(synced.oid, a.attnum),
             'guards_column', (select g.columns is null or a.attname = any (g.columns)
                                 from sync.guards g where g."table" = synced.oid and g.scope = 'column'),
             'guards_row', (select g.columns is null or a.attname = any (g.columns)
                              from sync.guards g where g."table" = synced.oid and g.scope = 'row'),
             'row_guarded', exists (select from sync.guards g where g."table" = synced.oid and g.scope = 'row'),
             'is_unique', exists (select from pg_catalog.pg_index u
                                   where u.indrelid = synced.oid and u.indisunique and u.indisvalid and u.indnkeyatts = 1
                                     and u.indkey[0] = a.attnum and u.indpred is null and u.indexprs is null),
             'merges_lines', ${declaredMerge(sql`synced.oid`)}
           ) order by a.attnum) as columns
      from synced
      join pg_catalog.pg_attribute a on a.attrelid = synced.oid and a.attnum > 0 and not a.attisdropped
      join base on base.oid = a.atttypid
      left join labels on labels.type = base.base
      left join link on link.relation = synced.oid and link."column" = a.attname and link.rank = 1
     where has_column_privilege(${role}, synced.oid, a.attnum, 'select')
     group by synced.oid, synced.schema, synced."table", synced.local
  `)
  const synced = new Map(tables.map((table) => [tableKey(table.schema, table.name), table]))
  const choicesOf = await checkChoices.of(pool, tables)
  return rows.map((row) => describeTable(row, synced, choicesOf)).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Joins two names, which contain no NUL. */
function tableKey(schema: string, table: string): string {
  return `${schema}\0${table}`
}

type SyncedTables = ReadonlyMap<string, SyncedTable>

function describeTable(row: TableRow, synced: SyncedTables, choicesOf: ChoicesOf): TableDescriptor {
  const table = synced.get(tableKey(row.schema, row.table))
  const columns = row.columns.map((column) => {
    const choices = column.choices ?? choicesOf(row.schema, row.table, column.column)
    return { ...describeColumn(column, table, synced), ...(choices ? { choices } : {}) }
  })
  return {
    name: table?.localName ?? row.table,
    schema: row.schema,
    table: row.table,
    ...(row.comment ? { comment: row.comment } : {}),
    key: (table?.key.columns ?? ['id']).map((column) => localColumn(column, table)),
    columns,
    can: { insert: row.can_insert, update: row.can_update, delete: row.can_delete },
    indexes: columns.filter((column) => column.name !== 'id' && isOftenLookedUp(column)).map((column) => [column.name]),
    ...(row.has_history ? { history: true } : {}),
    ...(row.guests_read ? { guests: row.guests_change ? 'change' : 'read' } : {}),
  }
}

function localColumn(name: string, table: SyncedTable | undefined): string {
  return table?.columns.find((column) => column.name === name)?.localName ?? name
}

function describeColumn(row: ColumnRow, table: SyncedTable | undefined, synced: SyncedTables): ColumnDescriptor {
  const references =
    row.references_schema && row.references_table && row.references_column
      ? synced.get(tableKey(row.references_schema, row.references_table))
      : undefined
  const guard = guardOf(row)
  const computedDefault = computedDefaultOf(row.default_call)
  const name = localColumn(row.column, table)
  return {
    name,
    ...(name === row.column ? {} : { column: row.column }),
    local: INTEGERS.has(row.base) ? 'integer' : REALS.has(row.base) ? 'real' : 'text',
    type: row.type,
    nullable: row.nullable,
    hasDefault: row.has_default,
    ...(computedDefault ? { computedDefault } : {}),
    generated: row.generated,
    ...(guard ? { guard } : {}),
    ...(row.is_unique && name !== 'id' ? { unique: true as const } : {}),
    ...(references && row.references_column
      ? { references: { table: references.localName, column: localColumn(row.references_column, references) } }
      : {}),
    ...(row.comment ? { comment: row.comment } : {}),
  }
}

const DEFAULT_CALLS: ReadonlyMap<string | undefined, ComputedDefault['from']> = new Map([
  ['formula_today', 'today'],
  ['formula_now', 'now'],
  ['my_member_id', 'me'],
])

/** Parses the defaults that `holdfast.set_default_sql` writes. */
function computedDefaultOf(call: string | null): ComputedDefault | undefined {
  const [, name, workspace] = /^holdfast\.(\w+)\((?:'([0-9a-f-]{36})'::uuid)?\)$/.exec(call ?? '') ?? []
  const from = DEFAULT_CALLS.get(name)
  return from && { from, ...(workspace === undefined ? {} : { workspace }) }
}

/** Guard declared with `sync.guard_rows`, `sync.guard_columns`, `sync.merge_lines` or `sync.merge_all_texts`; by default state columns and long texts are guarded. */
function guardOf(row: ColumnRow): 'column' | 'row' | undefined {
  if (row.generated || row.column === 'id') return undefined
  if (row.guards_row) return 'row'
  if (mergesLines(row.merges_lines, row)) return 'column'
  return (row.guards_column ?? (row.choices !== null && STATE_COLUMNS.has(row.column))) ? 'column' : undefined
}

/** Whether a column is a link, date or state, by which most views sort and filter. */
function isOftenLookedUp(column: ColumnDescriptor): boolean {
  return column.references !== undefined || column.type === 'date' || STATE_COLUMNS.has(column.name)
}

/**
 * Renders whether a policy for the command calls one of the functions of schema `holdfast` for records of this table shared with the caller. Calls through
 * project functions are not detected.
 *
 * @param relation - alias with `oid` and `local`, the table's local name
 * @param command - of `pg_policy`: `r` read, `w` update
 */
function asksForShares(
  relation: string,
  asked: 'shared_record_ids' | 'changeable_record_ids',
  command: 'r' | 'w',
): SqlFragment {
  const row = sql.identifier(relation)
  return sql`exists (
    select from pg_catalog.pg_policy p
      join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_policy'::regclass and d.objid = p.oid
                                 and d.refclassid = 'pg_catalog.pg_proc'::regclass
      join pg_catalog.pg_proc f on f.oid = d.refobjid and f.proname = ${asked}
      join pg_catalog.pg_namespace n on n.oid = f.pronamespace and n.nspname = 'holdfast'
     where p.polrelid = ${row}.oid and p.polpermissive and p.polcmd in (${command}, '*')
       and position(${`${asked}(`} || quote_literal(${row}.local) in pg_catalog.pg_get_expr(p.polqual, p.polrelid)) > 0)`
}
