import { errorMessage, type Logger } from '@holdfast/foundation'
import { type Pool, sql } from '@holdfast/postgres'
import { ROLES_RELOAD_AFTER_MS } from '../limits.ts'

/** Roles of Supabase's services and of ours, and keywords of `set role` that mean the current role. */
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

/** Roles that tokens may not carry, even if they are genuine. */
export interface RefusedRoles extends Disposable {
  /**
   * Returns whether no token may carry the role: reserved roles, Postgres's own, and every superuser of the cluster. Defence in depth:
   * Postgres would reject most of them too, because `authenticator` is not a member.
   */
  isRefused(role: string): boolean
  /**
   * Returns whether a token of a third-party issuer may not carry the role: the refused roles and every role that bypasses row-level
   * security, such as `service_role`. Such issuers identify users and do not appoint administrators.
   */
  isRefusedToOthers(role: string): boolean
  /** Increases whenever the lists change, so that cached tokens are checked again. */
  readonly generation: number
  /** Reads the roles again. Without it, changes take effect within {@link ROLES_RELOAD_AFTER_MS}. */
  reload(): Promise<void>
}

interface RoleLists {
  readonly superusers: ReadonlySet<string>
  /** Superusers and roles with `BYPASSRLS`. */
  readonly unbound: ReadonlySet<string>
}

/** Reads the roles now and periodically, because Postgres sends no notification for `alter role`. */
export async function openRefusedRoles(pool: Pool, logger: Logger): Promise<RefusedRoles> {
  let lists = await readRoleLists(pool)
  let generation = 0

  const reload = async (): Promise<void> => {
    const next = await readRoleLists(pool)
    if (isSame(lists.superusers, next.superusers) && isSame(lists.unbound, next.unbound)) return
    lists = next
    generation += 1
  }
  const timer = setInterval(() => {
    reload().catch((error: unknown) => logger.log('debug', 'could not read the roles', { error: errorMessage(error) }))
  }, ROLES_RELOAD_AFTER_MS)
  timer.unref()

  const isRefused = (role: string): boolean =>
    lists.superusers.has(role) || lists.superusers.has(role.toLowerCase()) || isReserved(role)
  return {
    isRefused,
    isRefusedToOthers: (role) => isRefused(role) || role === 'service_role' || lists.unbound.has(role),
    get generation() {
      return generation
    },
    reload,
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

async function readRoleLists(pool: Pool): Promise<RoleLists> {
  const rows = await pool.query<{ name: string; isSuperuser: boolean }>(
    sql`select rolname as name, rolsuper as "isSuperuser" from pg_catalog.pg_roles where rolsuper or rolbypassrls`,
  )
  const superusers = rows.filter(({ isSuperuser }) => isSuperuser).map(({ name }) => name)
  return { superusers: new Set(superusers), unbound: new Set(rows.map(({ name }) => name)) }
}

function isReserved(role: string): boolean {
  return role === '' || RESERVED_ROLES.includes(role.toLowerCase()) || /^pg_/i.test(role)
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((role) => other.has(role))
}
