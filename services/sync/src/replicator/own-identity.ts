import { sql, type Queryable } from '@holdfast/postgres'
import type { TableName } from '@holdfast/replication'

/** Writes down the replica identity of tables that are about to get a full one. */
export async function recordIdentities(db: Queryable, tables: readonly TableName[]): Promise<void> {
  await db.execute(sql`
    insert into sync.replica_identities as i (relation, identity)
    select c.oid::regclass, c.relreplident
      from unnest(${tables.map(({ schema }) => schema)}::text[], ${tables.map(({ name }) => name)}::text[]) t (schema, name)
      join pg_catalog.pg_namespace n on n.nspname = t.schema
      join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = t.name
     where c.relreplident <> 'f'
    on conflict (relation) do update set identity = excluded.identity where i.identity <> excluded.identity`)
}

/** Whether a table has a full replica identity because the project chose it. */
export async function hasOwnFullIdentity(db: Queryable, oid: number): Promise<boolean> {
  const [row] = await db.query<{ full: boolean }>(sql`
    select c.relreplident = 'f' and not exists (
             select from sync.replica_identities i where i.relation = c.oid) as full
      from pg_catalog.pg_class c where c.oid = ${String(oid)}::int8::oid`)
  return row?.full === true
}
