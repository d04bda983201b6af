import { delay } from '@holdfast/foundation'
import { sql, type Queryable } from '@holdfast/postgres'
import type { TableName } from '@holdfast/replication'
import { FOLLOWED_POLL_MS } from '../limits.ts'

/** Whose tables clients may follow, as on Supabase. */
export const PUBLICATION = 'supabase_realtime'

/** Where broadcasts from the database stand. */
const MESSAGES: TableName = { schema: 'realtime', name: 'messages' }

/** Tables of these schemas are no part of a project. Of `sync`, each change would bring about another one. */
export const OWN_SCHEMAS = ['sync', 'holdfast', 'realtime', 'pg_catalog', 'information_schema']

/** Tables of these are only meant when they are named. */
const UNNAMED_SCHEMAS = ['auth']

/**
 * The tables that channels need in the stream of changes: those of publication `supabase_realtime`, and the messages. Of a partition, the whole table. Reads the
 * catalog only: pg_publication_tables would wait for each table that is locked.
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
 * Waits until the stream brings the changes of some tables: it follows a table some moments after that was published.
 *
 * @param patienceMs - for how long
 * @returns whether it does
 */
export async function waitUntilFollowed(
  areFollowed: (tables: readonly TableName[]) => Promise<boolean>,
  tables: readonly TableName[],
  patienceMs: number,
): Promise<boolean> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    if (await areFollowed(tables)) return true
    if (performance.now() > deadline) return false
    await delay(FOLLOWED_POLL_MS)
  }
}
