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

/**
 * The roles that no token of a third-party issuer may carry: beside the refused ones all that row-level security does not hold, `service_role` first. Such
 * issuers say who somebody is; who runs this server is not theirs to say.
 */
export async function readRolesRefusedToOthers(
  pool: Pool,
  isRefusedRole: (role: string) => boolean,
): Promise<(role: string) => boolean> {
  const unbound = await pool.query<{ rolname: string }>(
    sql`select rolname from pg_catalog.pg_roles where rolsuper or rolbypassrls`,
  )
  const refused = new Set(['service_role', ...unbound.map((row) => row.rolname)])
  return (role) => isRefusedRole(role) || refused.has(role)
}
