import type { Queryable } from '../connection/pool.ts'
import { sql } from '../sql/sql.ts'
import type { Representation } from './catalog.ts'

/**
 * Reads the implicit cast functions between domains and `json` or `text`.
 *
 * @see PostgREST reference, "Domain Representations"
 */
export function readRepresentations(tx: Queryable): Promise<Representation[]> {
  return tx.query<Representation>(sql`
    select casting.castsource::int8::float8 as "sourceOid", casting.casttarget::int8::float8 as "targetOid",
           case when source.typtype = 'd' then 'from domain' else 'to domain' end as direction,
           case when source.typtype = 'd' then target.typname else source.typname end as format,
           nsp.nspname as "functionSchema", pro.proname as "functionName"
      from pg_catalog.pg_cast casting
      join pg_catalog.pg_type source on source.oid = casting.castsource
      join pg_catalog.pg_type target on target.oid = casting.casttarget
      join pg_catalog.pg_proc pro on pro.oid = casting.castfunc
      join pg_catalog.pg_namespace nsp on nsp.oid = pro.pronamespace
     where casting.castcontext = 'i' and casting.castmethod = 'f'
       and (source.typtype = 'd' and casting.casttarget in ('json'::regtype, 'text'::regtype)
            or target.typtype = 'd' and casting.castsource in ('json'::regtype, 'text'::regtype))
     order by casting.castsource, casting.casttarget
  `)
}
