import { delay } from '@holdfast/foundation'
import { queryable, sql, type Pool, type Queryable } from '@holdfast/postgres'

/** A connection of a pool. */
export type Client = Parameters<Parameters<Pool['withClient']>[0]>[0]

/** Advisory lock that serializes migrations of a database; an arbitrary number. */
const LOCK_KEY = 4_711_054_322

/** Retry interval in ms for the lock. A waiting statement would block `create index concurrently`. */
const LOCK_AGAIN_MS = 200

/** @returns the versions in the database's history, oldest first; empty without a history */
export async function readHistory(db: Pick<Queryable, 'query'>): Promise<readonly string[]> {
  const [found] = await db.query<{ exists: boolean }>(
    sql`select to_regclass('supabase_migrations.schema_migrations') is not null as exists`,
  )
  if (!found?.exists) return []
  const rows = await db.query<{ version: string }>(
    sql`select version from supabase_migrations.schema_migrations order by version`,
  )
  return rows.map(({ version }) => version)
}

/**
 * Creates the history tables of Supabase's CLI, and columns missing in older versions.
 *
 * @see Supabase CLI, `pkg/migration/history.go`
 */
export async function ensureHistory(client: Client): Promise<void> {
  // Otherwise a failing event trigger would prevent the migration that drops it.
  await client.query(`
    select set_config('session_replication_role', 'replica', true) where has_parameter_privilege('session_replication_role', 'set');
    create schema if not exists supabase_migrations;
    create table if not exists supabase_migrations.schema_migrations (version text not null primary key);
    alter table supabase_migrations.schema_migrations
      add column if not exists statements text[], add column if not exists name text;
    create table if not exists supabase_migrations.seed_files (path text not null primary key, hash text not null);
  `)
}

/** Runs `body` while no other process migrates this database. */
export async function whileLocked<T>(client: Client, body: () => Promise<T>): Promise<T> {
  const connection = queryable(client)
  for (;;) {
    const [got] = await connection.query<{ locked: boolean }>(sql`select pg_try_advisory_lock(${LOCK_KEY}) as locked`)
    if (got?.locked === true) break
    await delay(LOCK_AGAIN_MS)
  }
  try {
    return await body()
  } finally {
    // A lost connection has already released it.
    await connection.query(sql`select pg_advisory_unlock(${LOCK_KEY})`).catch(() => undefined)
  }
}
