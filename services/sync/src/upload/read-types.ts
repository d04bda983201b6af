import { shapeOfType, type TypeShape } from '@holdfast/policy'
import { sql, typeStructuresOf, type Transaction, type TypeStructure } from '@holdfast/postgres'

interface TypeRow extends TypeStructure {
  readonly oid: number
}

/** Reads the structure of types. */
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
    select coalesce(json_agg(structure), '[]') as types from (${typeStructuresOf(sql`select oid from reached`)}) structure
  `)
  const types = new Map(rows[0]?.types.map((type) => [type.oid, type]))
  return (oid) => shapeOfType(oid, (one) => types.get(one))
}
