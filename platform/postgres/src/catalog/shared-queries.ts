import { sql, type SqlFragment } from '../sql/sql.ts'

/*
 * Fragments of queries on `pg_catalog` that several readers share: the catalog of REST, the policy compiler, and what sync tells of tables.
 */

/**
 * A query for the types beneath domains, through domains over domains: `oid`, and of the base type `base`, `typname`, `typtype`, `typcategory` and
 * `typelem`. A type that is no domain is its own base.
 *
 * @param types - a query with one column, the OIDs of types
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
 * The types of the columns of some relations, for {@link baseTypesOf}.
 *
 * @param relations - the name of a CTE with a column `oid`
 */
export function columnTypesOf(relations: string): SqlFragment {
  return sql`
    select a.atttypid from ${sql.identifier(relations)} relation
      join pg_catalog.pg_attribute a on a.attrelid = relation.oid and a.attnum > 0 and not a.attisdropped`
}

/** Whether only Postgres sets a column: it is generated, or an identity column `always`. @param column - alias of a row of `pg_attribute` */
export function isSetByPostgres(column: string): SqlFragment {
  const name = sql.identifier(column)
  return sql`(${name}.attgenerated <> '' or ${name}.attidentity = 'a')`
}
