import type { Queryable } from '../connection/pool.ts'
import { sql } from '../sql/sql.ts'
import type { Catalog, Column, ForeignKey, Table, TablePrivileges, UniqueIndex, ViewSource } from './catalog.ts'
import { ownSchema } from './scope.ts'
import { baseTypesOf, DOMAINS, ENUM_LABELS, FOREIGN_KEYS, uniqueIndexesOf } from './shared-queries.ts'
import { readViewColumns, type ViewColumn } from './view-columns.ts'

type TableRow = Omit<
  Table,
  'columns' | 'sources' | 'primaryKey' | 'uniques' | 'foreignKeys' | 'privileges' | Writable
> & { readonly [Name in Writable]: boolean | null }

type Writable = 'insertable' | 'updatable' | 'deletable'

/** Locked views excluded from the reading. */
export interface Locked {
  /** See {@link readLockedViews}. */
  readonly lockedViews: readonly number[]
  /** Source of their writability; if absent there, Postgres is left to refuse. */
  readonly earlier: Catalog | undefined
}

/**
 * Reads all tables with their dependents. Within one transaction the statements see one state. Does not read policies: Postgres applies them, and printing one
 * waits for every table it names.
 */
export async function readTables(
  tx: Queryable,
  roles: readonly string[],
  { lockedViews, earlier }: Locked,
): Promise<{ readonly tables: readonly Table[]; readonly isPartial: boolean }> {
  const rows = await readRelations(tx, lockedViews)
  const columns = groupByTable(await readColumns(tx))
  const uniques = groupByTable(await readUniques(tx))
  const foreignKeys = groupByTable(await readForeignKeys(tx))
  const grants = groupByTable(await readGrants(tx, roles))
  const viewColumns = await readViewColumns(tx)
  const tables = rows.map((row): Table => {
    const table = { ...row, ...writableOf(row, earlier) }
    const own = (columns.get(table.oid) ?? []).map((column): Column => undefinedForNull(column))
    const keys: readonly UniqueIndex[] = uniques.get(table.oid) ?? []
    return {
      ...undefinedForNull(table),
      columns: own,
      sources: nameSources(viewColumns.get(table.oid) ?? [], own, columns),
      primaryKey: keys.find((key) => key.isPrimary)?.columns ?? [],
      uniques: keys,
      foreignKeys: foreignKeys.get(table.oid) ?? [],
      privileges: privilegesByRole(
        grants.get(table.oid) ?? [],
        own.map((column) => column.name),
      ),
    }
  })
  return { tables, isPartial: rows.some(({ insertable }) => insertable === null) }
}

function writableOf(row: TableRow, earlier: Catalog | undefined): Pick<Table, Writable> {
  const known = earlier?.tableByOid(row.oid)
  return {
    insertable: row.insertable ?? known?.insertable ?? true,
    updatable: row.updatable ?? known?.updatable ?? true,
    deletable: row.deletable ?? known?.deletable ?? true,
  }
}

/** Returns the sources of a view's columns by name; columns of tables outside the project have none. */
function nameSources(
  viewColumns: readonly ViewColumn[],
  own: readonly Column[],
  columns: ReadonlyMap<number, readonly Omit<Column, 'tableOid'>[]>,
): readonly ViewSource[] {
  return viewColumns.flatMap(({ position, tableOid, tablePosition }) => {
    const column = own.find((candidate) => candidate.position === position)
    const source = columns.get(tableOid)?.find((candidate) => candidate.position === tablePosition)
    return column && source ? [{ column: column.name, tableOid, tableColumn: source.name }] : []
  })
}

type OfTable<T> = T & { readonly tableOid: number }

/** Groups rows by table, without the OID. */
function groupByTable<T extends { readonly tableOid: number }>(
  rows: readonly T[],
): ReadonlyMap<number, readonly Omit<T, 'tableOid'>[]> {
  const groups = new Map<number, Omit<T, 'tableOid'>[]>()
  for (const { tableOid, ...row } of rows) {
    const group = groups.get(tableOid)
    if (group) group.push(row)
    else groups.set(tableOid, [row])
  }
  return groups
}

/** Converts SQL NULLs to `undefined`. */
function undefinedForNull<T extends object>(row: T): T {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? undefined])) as T
}

function readRelations(tx: Queryable, lockedViews: readonly number[]): Promise<TableRow[]> {
  return tx.query<TableRow>(sql`
    select rel.oid::int8::float8 as oid, nsp.nspname as schema, rel.relname as name,
           case rel.relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'v' then 'view'
                            when 'm' then 'materialized view' else 'foreign table' end as kind,
           pg_catalog.pg_get_userbyid(rel.relowner) as owner,
           pg_catalog.obj_description(rel.oid, 'pg_class') as comment,
           rel.reltype::int8::float8 as "rowTypeOid", inh.inhparent::int8::float8 as "partitionOf",
           rel.relrowsecurity as "rlsEnabled", rel.relforcerowsecurity as "rlsForced",
           coalesce(lower(opt.value) in ('true', 'on', 'yes', '1', 't', 'y'), false) as "securityInvoker",
           upd.events & 8 > 0 as insertable, upd.events & 4 > 0 as updatable, upd.events & 16 > 0 as deletable
      from pg_catalog.pg_class rel
      join pg_catalog.pg_namespace nsp on nsp.oid = rel.relnamespace
      left join pg_catalog.pg_inherits inh on inh.inhrelid = rel.oid and rel.relispartition
      left join lateral (
        select option_value as value from pg_catalog.pg_options_to_table(rel.reloptions) where option_name = 'security_invoker'
      ) opt on true
      cross join lateral (
        select case when rel.relkind in ('r', 'p') then 28 when rel.relkind = 'm' then 0
                    when rel.oid = any(${lockedViews}::oid[]) then null
                    else pg_catalog.pg_relation_is_updatable(rel.oid, true) end as events
      ) upd
     where rel.relkind in ('r', 'p', 'v', 'm', 'f') and rel.relpersistence <> 't' and ${ownSchema('nsp')}
     order by nsp.nspname, rel.relname
  `)
}

/** Prints defaults without their table, which may be locked; a default names no columns. */
function readColumns(tx: Queryable): Promise<OfTable<Column>[]> {
  return tx.query<OfTable<Column>>(sql`
    with bottom (domain, oid) as (
      select oid, base from (${baseTypesOf(DOMAINS)}) as unwrapped
    ), labels as (${ENUM_LABELS})
    select att.attrelid::int8::float8 as "tableOid", att.attname as name, att.attnum::int4 as position,
           att.atttypid::int8::float8 as "typeOid",
           pg_catalog.format_type(att.atttypid, att.atttypmod) as type,
           typ.typtype as "typeKind", typ.oid::int8::float8 as "baseTypeOid",
           pg_catalog.format_type(typ.oid, null) as "baseType",
           coalesce(elem_base.oid, elem.oid, 0)::int8::float8 as "elementOid",
           typ.typcategory as category,
           not (att.attnotnull or (own.typtype = 'd' and own.typnotnull)) as nullable,
           case when att.attgenerated = '' then coalesce(pg_catalog.pg_get_expr(def.adbin, 0), pg_catalog.pg_get_expr(own.typdefaultbin, 0)) end as default,
           case att.attgenerated when 's' then 'stored' when 'v' then 'virtual' end as generated,
           case att.attidentity when 'a' then 'always' when 'd' then 'by default' end as identity,
           pg_catalog.col_description(att.attrelid, att.attnum) as comment,
           labels.labels as "enumLabels"
      from pg_catalog.pg_attribute att
      join pg_catalog.pg_class rel on rel.oid = att.attrelid
      join pg_catalog.pg_namespace nsp on nsp.oid = rel.relnamespace
      join pg_catalog.pg_type own on own.oid = att.atttypid
      left join bottom on bottom.domain = own.oid
      join pg_catalog.pg_type typ on typ.oid = coalesce(bottom.oid, own.oid)
      left join pg_catalog.pg_type elem on elem.oid = typ.typelem and typ.typcategory = 'A'
      left join bottom elem_base on elem_base.domain = elem.oid
      left join labels on labels.type in (typ.oid, elem.oid, elem_base.oid)
      left join pg_catalog.pg_attrdef def on def.adrelid = att.attrelid and def.adnum = att.attnum
     where att.attnum > 0 and not att.attisdropped
       and rel.relkind in ('r', 'p', 'v', 'm', 'f') and rel.relpersistence <> 't' and ${ownSchema('nsp')}
     order by att.attrelid, att.attnum
  `)
}

function readUniques(tx: Queryable): Promise<OfTable<UniqueIndex>[]> {
  return tx.query<OfTable<UniqueIndex>>(sql`
    select rel.oid::int8::float8 as "tableOid", uniques.*
      from pg_catalog.pg_class rel
      join pg_catalog.pg_namespace nsp on nsp.oid = rel.relnamespace
      cross join lateral (${uniqueIndexesOf(sql`rel.oid`)}) as uniques
     where rel.relhasindex and rel.relpersistence <> 't' and ${ownSchema('nsp')}
     order by rel.oid, uniques."isPrimary" desc, uniques.name
  `)
}

function readForeignKeys(tx: Queryable): Promise<OfTable<ForeignKey>[]> {
  return tx.query<OfTable<ForeignKey>>(sql`
    select key.relation::int8::float8 as "tableOid", key.name, key."targetOid"::int8::float8 as "targetOid", key."targetSchema", key."targetTable",
           key.columns, key."targetColumns", key."onDelete"
      from (${FOREIGN_KEYS}) as key
      join pg_catalog.pg_class rel on rel.oid = key.relation
      join pg_catalog.pg_namespace nsp on nsp.oid = rel.relnamespace
     where rel.relpersistence <> 't' and ${ownSchema('nsp')}
     order by key.relation, key.name
  `)
}

interface Grant {
  readonly tableOid: number
  readonly role: string
  /** Whole-table privileges. */
  readonly select: boolean
  readonly insert: boolean
  readonly update: boolean
  readonly delete: boolean
  /** Individually granted columns; `null` if none. */
  readonly columnsSelect: readonly string[] | null
  readonly columnsInsert: readonly string[] | null
  readonly columnsUpdate: readonly string[] | null
}

function readGrants(tx: Queryable, roles: readonly string[]): Promise<Grant[]> {
  return tx.query<Grant>(sql`
    select rel.oid::int8::float8 as "tableOid", role.name as role,
           pg_catalog.has_table_privilege(role.name, rel.oid, 'select') as select,
           pg_catalog.has_table_privilege(role.name, rel.oid, 'insert') as insert,
           pg_catalog.has_table_privilege(role.name, rel.oid, 'update') as update,
           pg_catalog.has_table_privilege(role.name, rel.oid, 'delete') as delete,
           cols.columns_select as "columnsSelect", cols.columns_insert as "columnsInsert", cols.columns_update as "columnsUpdate"
      from pg_catalog.pg_class rel
      join pg_catalog.pg_namespace nsp on nsp.oid = rel.relnamespace
      cross join unnest(${roles}::text[]) as role (name)
      left join lateral (
        -- Few tables have grants on columns; only those are asked about.
        select array_agg(att.attname::text) filter (where pg_catalog.has_column_privilege(role.name, rel.oid, att.attnum, 'select')) as columns_select,
               array_agg(att.attname::text) filter (where pg_catalog.has_column_privilege(role.name, rel.oid, att.attnum, 'insert')) as columns_insert,
               array_agg(att.attname::text) filter (where pg_catalog.has_column_privilege(role.name, rel.oid, att.attnum, 'update')) as columns_update
          from pg_catalog.pg_attribute att
         where att.attrelid = rel.oid and att.attnum > 0 and not att.attisdropped and att.attacl is not null
      ) cols on true
     where rel.relkind in ('r', 'p', 'v', 'm', 'f') and rel.relpersistence <> 't' and ${ownSchema('nsp')}
  `)
}

function privilegesByRole(
  grants: readonly Omit<Grant, 'tableOid'>[],
  columns: readonly string[],
): ReadonlyMap<string, TablePrivileges> {
  const granted = (whole: boolean, some: readonly string[] | null): readonly string[] =>
    whole ? columns : columns.filter((column) => some?.includes(column))
  return new Map(
    grants
      .map((grant): readonly [string, TablePrivileges] => [
        grant.role,
        {
          select: granted(grant.select, grant.columnsSelect),
          insert: granted(grant.insert, grant.columnsInsert),
          update: granted(grant.update, grant.columnsUpdate),
          delete: grant.delete,
        },
      ])
      .filter(([, may]) => may.delete || may.select.length + may.insert.length + may.update.length > 0),
  )
}
