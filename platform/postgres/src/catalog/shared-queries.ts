import { sql, type SqlFragment } from '../sql/sql.ts'

/* Query fragments on `pg_catalog` shared by REST's catalog, the policy compiler and sync's schema. */

/** A query for all domains. */
export const DOMAINS = sql`select oid from pg_catalog.pg_type where typtype = 'd'`

/**
 * A query for the base types of domains, through nested domains: `oid`, and the base type's `base`, `typname`, `typtype`, `typcategory` and `typelem`. Other
 * types are their own base.
 *
 * @param types - a query for type OIDs in one column
 */
export function baseTypesOf(types: SqlFragment): SqlFragment {
  return sql`
    with recursive unwrapped (oid, base) as (
      select given.oid, given.oid from (${types}) as given (oid)
      union
      select unwrapped.oid, t.typbasetype
        from unwrapped join pg_catalog.pg_type t on t.oid = unwrapped.base and t.typtype = 'd'
    )
    select unwrapped.oid, t.oid as base, t.typname, t.typtype, t.typcategory, t.typelem
      from unwrapped join pg_catalog.pg_type t on t.oid = unwrapped.base and t.typtype <> 'd'`
}

/**
 * The column types of some relations, for {@link baseTypesOf}.
 *
 * @param relations - a CTE with a column `oid`
 */
export function columnTypesOf(relations: string): SqlFragment {
  return sql`
    select a.atttypid from ${sql.identifier(relations)} relation
      join pg_catalog.pg_attribute a on a.attrelid = relation.oid and a.attnum > 0 and not a.attisdropped`
}

/** Whether only Postgres sets the column: generated, or an identity column `always`. @param column - alias of a `pg_attribute` row */
export function isSetByPostgres(column: string): SqlFragment {
  const name = sql.identifier(column)
  return sql`(${name}.attgenerated <> '' or ${name}.attidentity = 'a')`
}

/**
 * A query for a relation's unique indexes as `UniqueIndex` rows, primary key first. Excludes invalid, partial and expression indexes.
 *
 * @param relation - its OID
 */
export function uniqueIndexesOf(relation: SqlFragment): SqlFragment {
  return sql`
    select ind.relname as name, idx.indisprimary as "isPrimary", idx.indimmediate as "isImmediate",
           exists (select from pg_catalog.pg_constraint con
                    where con.conrelid = idx.indrelid and con.conindid = idx.indexrelid and con.contype in ('p', 'u')) as "isConstraint",
           not bool_and(att.attnotnull) as "isNullable",
           array_agg(att.attname::text order by key.position) as columns
      from pg_catalog.pg_index idx
      join pg_catalog.pg_class ind on ind.oid = idx.indexrelid
      cross join lateral unnest(idx.indkey::int2[]) with ordinality as key (attnum, position)
      join pg_catalog.pg_attribute att on att.attrelid = idx.indrelid and att.attnum = key.attnum
     where idx.indrelid = ${relation} and idx.indisunique and idx.indisvalid and idx.indpred is null and idx.indexprs is null
       and key.position <= idx.indnkeyatts
     group by idx.indrelid, idx.indexrelid, ind.relname, idx.indisprimary, idx.indimmediate
     order by idx.indisprimary desc, ind.relname`
}

/** A query for the ordered labels of all enums: `type`, an OID, and `labels`. */
export const ENUM_LABELS = sql`
    select enumtypid as type, array_agg(enumlabel::text order by enumsortorder) as labels from pg_catalog.pg_enum group by enumtypid`

/**
 * A query for all declared foreign keys: `relation`, the table's OID, and the fields of `ForeignKey`, with `targetOid` as an OID. Excludes the copies that
 * Postgres creates per partition.
 */
export const FOREIGN_KEYS = sql`
    select con.conrelid as relation, con.conname as name, con.confrelid as "targetOid", target_nsp.nspname as "targetSchema",
           target.relname as "targetTable", cols.columns, cols.target_columns as "targetColumns",
           case con.confdeltype when 'r' then 'restrict' when 'c' then 'cascade' when 'n' then 'set null'
                                when 'd' then 'set default' else 'no action' end as "onDelete"
      from pg_catalog.pg_constraint con
      join pg_catalog.pg_class referrer on referrer.oid = con.conrelid
      join pg_catalog.pg_class target on target.oid = con.confrelid
      join pg_catalog.pg_namespace target_nsp on target_nsp.oid = target.relnamespace
      cross join lateral (
        select array_agg(att.attname::text order by key.position) as columns,
               array_agg(target_att.attname::text order by key.position) as target_columns
          from unnest(con.conkey, con.confkey) with ordinality as key (attnum, target_attnum, position)
          join pg_catalog.pg_attribute att on att.attrelid = con.conrelid and att.attnum = key.attnum
          join pg_catalog.pg_attribute target_att on target_att.attrelid = con.confrelid and target_att.attnum = key.target_attnum
      ) cols
     where con.contype = 'f' and (con.conparentid = 0 or referrer.relispartition and con.confrelid = (
             select parent.confrelid from pg_catalog.pg_constraint parent where parent.oid = con.conparentid))`

/** Components of a type's values. Numbers are OIDs. */
export interface TypeStructure {
  /** `pg_type.typtype`: `r`ange, `m`ultirange, … */
  readonly kind: string
  /** Base type of a domain; otherwise 0. */
  readonly base: number
  /** Element type of a true array; otherwise 0. */
  readonly element: number
  /** Element delimiter in arrays of this type. */
  readonly delimiter: string
  /** Members of a composite, in order; otherwise empty. */
  readonly members: readonly { readonly name: string; readonly typeOid: number }[]
  /** Bound type of a range or multirange; otherwise 0. */
  readonly subtype: number
}

/**
 * A query for the {@link TypeStructure} of types, with their `oid`.
 *
 * @param types - a query for type OIDs in one column
 */
export function typeStructuresOf(types: SqlFragment): SqlFragment {
  return sql`
    select t.oid::int8, t.typtype as kind, coalesce(bottom.base, 0)::int8 as base,
           case when t.typcategory = 'A' and t.typsubscript = 'pg_catalog.array_subscript_handler'::regproc then t.typelem else 0 end::int8 as element,
           t.typdelim as delimiter,
           case when t.typtype = 'c' then (
             select coalesce(json_agg(json_build_object('name', a.attname, 'typeOid', a.atttypid::int8) order by a.attnum), '[]'::json)
               from pg_catalog.pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped) else '[]'::json end as members,
           coalesce((select r.rngsubtype from pg_catalog.pg_range r where t.oid in (r.rngtypid, r.rngmultitypid)), 0)::int8 as subtype
      from (${types}) as given (oid)
      join pg_catalog.pg_type t on t.oid = given.oid
      left join (${baseTypesOf(DOMAINS)}) as bottom on bottom.oid = t.oid`
}

/** A query for relations (`oid`) that other sessions have locked against reading, or wait to lock. Reading one of them would block. */
export function lockedRelations(): SqlFragment {
  return sql`
    select l.relation as oid
      from pg_catalog.pg_locks l
      join pg_catalog.pg_database d on d.oid = l.database and d.datname = current_database()
     where l.locktype = 'relation' and l.mode = 'AccessExclusiveLock' and l.pid is distinct from pg_catalog.pg_backend_pid()`
}
