import { delay } from '@holdfast/foundation'
import { sql, type Queryable } from '@holdfast/postgres'
import type { TableName } from '@holdfast/replication'
import { FOLLOWED_POLL_MS } from '../limits.ts'

/** Publication of the followed tables, as in Supabase. */
export const PUBLICATION = 'supabase_realtime'

/** Table of broadcasts sent from the database. */
const MESSAGES: TableName = { schema: 'realtime', name: 'messages' }

/** Schemas outside the project. Changes in `sync` would cause further changes. */
export const OWN_SCHEMAS = ['sync', 'holdfast', 'realtime', 'pg_catalog', 'information_schema']

/** Schemas whose tables must be named explicitly. */
const UNNAMED_SCHEMAS = ['auth']

/**
 * Returns the tables that channels need in the stream: those in publication `supabase_realtime`, and the messages. For a partition, the partitioned table.
 * Reads only the catalog, because pg_publication_tables blocks on locked tables.
 */
export async function readPublishedTables(db: Queryable): Promise<readonly TableName[]> {
  const tables = await db.query<{ schema: string; name: string }>(sql`
    with named as (
      select r.prrelid as oid
        from pg_catalog.pg_publication p join pg_catalog.pg_publication_rel r on r.prpubid = p.oid
       where p.pubname = ${PUBLICATION}
    ), unnamed as (
      select c.oid
        from pg_catalog.pg_publication p
        join pg_catalog.pg_class c on c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
       where p.pubname = ${PUBLICATION} and c.oid >= 16384 and n.nspname <> all (${UNNAMED_SCHEMAS}::text[])
         and (p.puballtables or exists (
           select from pg_catalog.pg_publication_namespace s where s.pnpubid = p.oid and s.pnnspid = n.oid))
    ), roots as (
      select coalesce(pg_catalog.pg_partition_root(t.oid), t.oid) as oid
        from (select oid from named union select oid from unnamed) t
    )
    select distinct n.nspname as schema, c.relname as name
      from roots t join pg_catalog.pg_class c on c.oid = t.oid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname <> all (${OWN_SCHEMAS}::text[])
     order by 1, 2`)
  return [...tables.map(({ schema, name }) => ({ schema, name })), MESSAGES]
}

/**
 * Waits until the stream includes some tables. Newly published tables follow after a short delay.
 *
 * @param timeoutMs - wait limit
 * @returns false on timeout
 */
export async function waitUntilFollowed(
  areFollowed: (tables: readonly TableName[]) => Promise<boolean>,
  tables: readonly TableName[],
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    if (await areFollowed(tables)) return true
    if (performance.now() > deadline) return false
    await delay(FOLLOWED_POLL_MS)
  }
}
