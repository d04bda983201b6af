import type { Queryable } from '../connection/pool.ts'
import { sql } from '../sql/sql.ts'
import type { MediaHandler } from './catalog.ts'
import { ownSchema } from './scope.ts'

type HandlerRow = Omit<MediaHandler, 'target'> & {
  readonly targetKind: MediaHandler['target']['kind']
  readonly targetSchema: string
  readonly targetName: string
}

/**
 * Reads the media type handlers: aggregates over a row or over anything, and functions, that return a domain named like a media type.
 *
 * @see PostgREST reference, "Media Type Handlers"
 */
export async function readMediaHandlers(tx: Queryable): Promise<readonly MediaHandler[]> {
  const rows = await tx.query<HandlerRow>(sql`
    with media as (
      select typ.oid, typ.typname as name, nsp.nspname as schema, typ.typsend = 'pg_catalog.byteasend'::regproc as binary
        from pg_catalog.pg_type typ
        join pg_catalog.pg_namespace nsp on nsp.oid = typ.typnamespace
       where typ.typtype = 'd' and (typ.typname ~ '^[A-Za-z0-9.-]+/[A-Za-z0-9.+-]+$' or typ.typname = '*/*')
    )
    select nsp.nspname as schema, pro.proname as name, lower(media.name) as "mediaType", media.binary,
           case when arg.oid = 'pg_catalog.anyelement'::regtype then 'any' else 'relation' end as "targetKind",
           coalesce(rel_nsp.nspname, '') as "targetSchema", coalesce(rel.relname, '') as "targetName"
      from media
      join pg_catalog.pg_proc pro on pro.prorettype = media.oid and pro.prokind = 'a' and pro.pronargs = 1
      join pg_catalog.pg_namespace nsp on nsp.oid = pro.pronamespace
      join pg_catalog.pg_type arg on arg.oid = pro.proargtypes[0]
      left join pg_catalog.pg_class rel on rel.oid = arg.typrelid and rel.relkind in ('v', 'r', 'm', 'f', 'p')
      left join pg_catalog.pg_namespace rel_nsp on rel_nsp.oid = rel.relnamespace
     where (rel.oid is not null or arg.oid = 'pg_catalog.anyelement'::regtype) and ${ownSchema('nsp')}
    union all
    select media.schema, media.name, lower(media.name), media.binary, 'routine', nsp.nspname, pro.proname
      from media
      join pg_catalog.pg_proc pro on pro.prorettype = media.oid and pro.prokind = 'f' and not pro.proretset
      join pg_catalog.pg_namespace nsp on nsp.oid = pro.pronamespace
     where ${ownSchema('nsp')}
     order by 5, 6, 7, 3, 1, 2
  `)
  return rows.map(({ targetKind, targetSchema, targetName, ...row }) => ({
    ...row,
    target: { kind: targetKind, schema: targetSchema, name: targetName },
  }))
}

/** Returns PostGIS's function that converts a row to GeoJSON, if installed. */
export async function readGeoJsonFunction(
  tx: Queryable,
): Promise<{ readonly schema: string; readonly name: string } | undefined> {
  const rows = await tx.query<{ schema: string; name: string }>(sql`
    select nsp.nspname as schema, pro.proname as name
      from pg_catalog.pg_proc pro
      join pg_catalog.pg_namespace nsp on nsp.oid = pro.pronamespace
     where pro.proname = 'st_asgeojson' and pro.prokind = 'f' and pro.proargtypes[0] = 'pg_catalog.record'::regtype
       and pro.pronargs - pro.pronargdefaults <= 1 and ${ownSchema('nsp')}
     order by pro.oid limit 1
  `)
  return rows[0]
}
