import { sql, type Pool, type Queryable, type Transaction } from '@holdfast/postgres'
import { excludeGrants, runShortStep, type Deadline, type TableName } from '@holdfast/replication'

/** Records the replica identity of tables before they get a full one. */
export async function recordIdentities(db: Queryable, tables: readonly TableName[]): Promise<void> {
  await db.execute(sql`
    insert into sync.replica_identities as i (relation, identity, index)
    select c.oid::regclass, c.relreplident,
           (select x.indexrelid::regclass from pg_catalog.pg_index x where x.indrelid = c.oid and x.indisreplident and c.relreplident = 'i')
      from unnest(${tables.map(({ schema }) => schema)}::text[], ${tables.map(({ name }) => name)}::text[]) t (schema, name)
      join pg_catalog.pg_namespace n on n.nspname = t.schema
      join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = t.name
     where c.relreplident <> 'f'
    on conflict (relation) do update set identity = excluded.identity, index = excluded.index
     where (i.identity, i.index) is distinct from (excluded.identity, excluded.index)`)
}

/**
 * Restores the replica identity of tables that left the publication because of a VIRTUAL column, if no event trigger did. While another publication contains
 * such a table, Postgres refuses updates with a full identity.
 *
 * @returns whether a table is locked and must be retried
 */
export async function restoreIdentities(pool: Pool, publication: string, deadline: Deadline): Promise<boolean> {
  const tables = await pool.query<{ oid: string }>(sql`
    select c.oid::int8::text as oid
      from sync.replica_identities i join pg_catalog.pg_class c on c.oid = i.relation
     where exists (select from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attgenerated = 'v' and not a.attisdropped)
       and exists (select from sync.partitions_of(c.oid) p join pg_catalog.pg_class t on t.oid = p.relid where t.relreplident = 'f')
       and not exists (select from pg_catalog.pg_publication p join pg_catalog.pg_publication_rel r on r.prpubid = p.oid
                        where p.pubname = ${publication} and r.prrelid = c.oid)`)
  let isLeft = false
  for (const { oid } of tables) {
    const restore = async (tx: Transaction): Promise<void> => {
      await excludeGrants(tx)
      await tx.query(sql`select sync.restore_identity(${oid}::int8::oid::regclass)`)
    }
    isLeft = (await runShortStep(pool, restore, deadline)).kind === 'busy' || isLeft
  }
  return isLeft
}

/** Whether a table has a full replica identity because the project chose it. */
export async function hasOwnFullIdentity(db: Queryable, oid: number): Promise<boolean> {
  const [row] = await db.query<{ full: boolean }>(sql`
    select c.relreplident = 'f' and not exists (
             select from sync.replica_identities i where i.relation = c.oid) as full
      from pg_catalog.pg_class c where c.oid = ${String(oid)}::int8::oid`)
  return row?.full === true
}
