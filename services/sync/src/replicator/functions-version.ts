import { sql, type Queryable } from '@holdfast/postgres'

/** Changes whenever a function does that policies may call, other than those of Postgres and of Holdfast. */
export async function readFunctionsVersion(db: Queryable): Promise<string> {
  const [row] = await db.query<{ version: string | null }>(sql`
    select md5(string_agg(p.oid::text || ' ' || p.xmin::text, ',' order by p.oid)) as version
      from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
     where n.nspname not in ('pg_catalog', 'information_schema', 'sync', 'auth', 'holdfast')`)
  return row?.version ?? ''
}
