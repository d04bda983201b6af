import { type Pool, sql } from '@holdfast/postgres'

/** Roles of Supabase's own services, of ours, and the words that `set role` takes for "whoever I am". */
const RESERVED_ROLES = [
  'authenticator',
  'dashboard_user',
  'holdfast_evaluator',
  'holdfast_reader',
  'none',
  'pgbouncer',
  'postgres',
  'supabase_admin',
  'supabase_auth_admin',
  'supabase_functions_admin',
  'supabase_realtime_admin',
  'supabase_replication_admin',
  'supabase_storage_admin',
]

/**
 * The roles that no token may carry, genuine or not: those above, Postgres's own, and every superuser of the cluster. Postgres would
 * refuse most of them anyway, because `authenticator` is not their member; this is the wall before that one.
 */
export async function readRefusedRoles(pool: Pool): Promise<(role: string) => boolean> {
  const superusers = await pool.query<{ rolname: string }>(sql`select rolname from pg_catalog.pg_roles where rolsuper`)
  const refused = new Set([...RESERVED_ROLES, ...superusers.map((row) => row.rolname)])
  return (role) => role === '' || refused.has(role) || refused.has(role.toLowerCase()) || /^pg_/i.test(role)
}
