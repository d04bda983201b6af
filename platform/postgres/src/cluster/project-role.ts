import type { Queryable } from '../connection/pool.ts'
import { ensureRolePasswords } from './role-password.ts'
import { sql } from '../sql/sql.ts'
import { DATABASE_NAME, PROJECT_ROLE, SUPERUSER } from './cluster.ts'

/**
 * Settings of every superuser session, which the database's owner could otherwise change for all: how names resolve to functions and operators, and how quoted
 * text is read. Also forbids project views, whose reading calls project functions.
 */
const SUPERUSER_SETTINGS: readonly (readonly [name: string, value: string])[] = [
  ['search_path', 'pg_catalog, pg_temp'],
  ['standard_conforming_strings', 'on'],
  ['restrict_nonsystem_relation_kind', `'view, foreign-table'`],
]

/** Predefined roles for database maintenance; none gives access to files or programs. */
const PREDEFINED_ROLES = ['pg_monitor', 'pg_read_all_data', 'pg_signal_backend']

/**
 * Ensures that the project's role exists with its rights on Supabase: owns the database, creates databases and roles, bypasses row-level security, and is not a
 * superuser. Migrations grant rights inside the database.
 *
 * @param db - connected as the superuser, with our connection settings
 * @param adminUrl - of the project's role, with its future password
 */
export async function ensureProjectRole(db: Queryable, adminUrl: string): Promise<void> {
  await ensureRole(db)
  await ensureRolePasswords(db, [adminUrl])
  const [state] = await db.query<{ owned: boolean; granted: boolean; settings: readonly string[] | null }>(sql`
    select (select datdba <> 10 from pg_catalog.pg_database where datname = ${DATABASE_NAME}) as owned,
           (select bool_and(pg_catalog.pg_has_role(${PROJECT_ROLE}, role, 'member')) from unnest(${[...PREDEFINED_ROLES]}::name[]) role) as granted,
           (select setconfig from pg_catalog.pg_db_role_setting where setrole = 10 and setdatabase = 0) as settings`)
  const role = sql.identifier(PROJECT_ROLE)
  if (!state?.owned) await db.execute(sql`alter database ${sql.identifier(DATABASE_NAME)} owner to ${role}`)
  if (!state?.granted)
    await db.execute(
      sql`grant ${sql.join(PREDEFINED_ROLES.map((one) => sql.identifier(one)))} to ${role} with admin option`,
    )
  const names = new Set(state?.settings?.map((one) => one.split('=')[0]))
  for (const [name, value] of SUPERUSER_SETTINGS)
    if (!names.has(name)) await db.execute(sql`${sql.trusted(`alter role ${SUPERUSER} set ${name} = ${value}`)}`)
}

async function ensureRole(db: Queryable): Promise<void> {
  const found = await db.query(sql`select from pg_catalog.pg_roles where rolname = ${PROJECT_ROLE}`)
  if (found.length > 0) return
  await db.execute(
    sql`create role ${sql.identifier(PROJECT_ROLE)} login nosuperuser createdb createrole replication bypassrls`,
  )
}
