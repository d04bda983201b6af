import type { Queryable } from '../connection/pool.ts'
import { ensureRolePasswords } from './role-password.ts'
import { sql } from '../sql/sql.ts'
import { DATABASE_NAME, PROJECT_ROLE, SUPERUSER } from './cluster.ts'

/**
 * Settings of each session of the superuser, which the owner of the database could set for everybody otherwise: which functions and operators a name means,
 * and what a quoted text is. A view of the project is refused to it: reading one calls functions of the project.
 */
const SUPERUSER_SETTINGS: readonly (readonly [name: string, value: string])[] = [
  ['search_path', 'pg_catalog, pg_temp'],
  ['standard_conforming_strings', 'on'],
  ['restrict_nonsystem_relation_kind', `'view, foreign-table'`],
]

/** What Postgres has of its own for people who look after a database; nothing of it reaches files or programs of the machine. */
const PREDEFINED_ROLES = ['pg_monitor', 'pg_read_all_data', 'pg_signal_backend']

/**
 * Makes sure that there is the role that projects act as, with the rights that it has on Supabase: it owns the database, makes databases and roles, passes
 * row-level security, and is no superuser. Migrations grant what it may do inside the database.
 *
 * @param db - connected as the superuser, with the settings of our own connections
 * @param adminUrl - connects as the project's role, with the password that it is to have
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
