import { shapeOfType, type ShapedType, type TypeShape } from '@holdfast/policy'
import { sql, type Transaction } from '@holdfast/postgres'

interface TypeRow extends Omit<ShapedType, 'base'> {
  readonly oid: number
  readonly base: number
}

/** How the values of some types are built. */
export async function readShapes(tx: Transaction, oids: readonly number[]): Promise<(oid: number) => TypeShape> {
  const rows = await tx.query<{ types: readonly TypeRow[] }>(sql`
    with recursive reached (oid) as (
      select unnest(${oids}::int8[]::oid[])
      union
      select part.oid
        from reached join pg_catalog.pg_type t on t.oid = reached.oid
        cross join lateral (
          select t.typbasetype as oid where t.typtype = 'd'
          union all select t.typelem where t.typsubscript = 'pg_catalog.array_subscript_handler'::regproc
          union all select a.atttypid from pg_catalog.pg_attribute a
                     where t.typtype = 'c' and a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
          union all select r.rngsubtype from pg_catalog.pg_range r where t.oid in (r.rngtypid, r.rngmultitypid)
        ) part
    )
    select coalesce(json_agg(json_build_object(
             'oid', t.oid::int8, 'kind', t.typtype, 'delimiter', t.typdelim,
             'base', case when t.typtype = 'd' then t.typbasetype else 0 end::int8,
             'element', case when t.typcategory = 'A' and t.typsubscript = 'pg_catalog.array_subscript_handler'::regproc
                             then t.typelem else 0 end::int8,
             'members', case when t.typtype = 'c' then (
                 select coalesce(json_agg(json_build_object('name', a.attname, 'typeOid', a.atttypid::int8) order by a.attnum), '[]')
                   from pg_catalog.pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped)
               else '[]' end,
             'subtype', coalesce((select r.rngsubtype from pg_catalog.pg_range r where t.oid in (r.rngtypid, r.rngmultitypid)), 0)::int8
           )), '[]') as types
      from reached join pg_catalog.pg_type t on t.oid = reached.oid
  `)
  const types = new Map(rows[0]?.types.map((type) => [type.oid, type]))
  return (oid) => shapeOfType(oid, (one) => types.get(one))
}
