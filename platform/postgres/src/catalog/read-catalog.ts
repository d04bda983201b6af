import { createHash } from 'node:crypto'
import type { Pool, Queryable } from '../connection/pool.ts'
import { REQUEST_ROLE } from '../cluster/cluster.ts'
import { sql, type SqlFragment } from '../sql/sql.ts'
import { type CatalogReading, readAroundLocks } from './around-locks.ts'
import type { ApiRole, Catalog, Schema } from './catalog.ts'
import { readLockedViews } from './locked-views.ts'
import { readGeoJsonFunction, readMediaHandlers } from './media-handlers.ts'
import { deriveRelationships } from './relationships.ts'
import { readRepresentations } from './representations.ts'
import { parseSettings, readRoutines } from './routines.ts'
import { ownSchema } from './scope.ts'
import { readTables } from './tables.ts'

/**
 * Reads the catalog in one transaction without waiting for locked relations: the writability of locked views is taken from `earlier` or assumed, and the result
 * is partial.
 */
export async function readCatalog(pool: Pool, earlier?: Catalog): Promise<Catalog> {
  return readAroundLocks((reading) => readOnce(pool, reading, earlier), 'wait')
}

async function readOnce(
  pool: Pool,
  { lockTimeoutMs, isAround }: CatalogReading,
  earlier: Catalog | undefined,
): Promise<Catalog> {
  return pool.transaction(async (tx) => {
    await tx.execute(sql`set transaction isolation level repeatable read, read only`)
    // Makes Postgres print names with their schema, except for `pg_catalog`, so they are independent of the search path.
    await tx.execute(sql`set local search_path to ''`)
    await tx.query(sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`)
    const roles = await readRoles(tx)
    const requestSettings = await readRequestSettings(tx)
    const names = roles.map((role) => role.name)
    const schemas = await readSchemas(tx, names)
    const lockedViews = isAround ? await readLockedViews(tx) : []
    const { tables, isPartial } = await readTables(tx, names, { lockedViews, earlier })
    const routines = await readRoutines(tx, names)
    const representations = await readRepresentations(tx)
    const mediaHandlers = await readMediaHandlers(tx)
    const geoJsonFunction = await readGeoJsonFunction(tx)
    const byName = new Map(tables.map((table) => [`${table.schema}\0${table.name}`, table]))
    const byOid = new Map(tables.map((table) => [table.oid, table]))
    return {
      version: hash({
        roles,
        requestSettings,
        schemas,
        tables,
        routines,
        representations,
        mediaHandlers,
        geoJsonFunction,
      }),
      isPartial,
      schemas,
      tables,
      relationships: deriveRelationships(tables),
      routines,
      representations,
      mediaHandlers,
      geoJsonFunction,
      roles,
      requestSettings,
      table: (schema, name) => byName.get(`${schema}\0${name}`),
      tableByOid: (oid) => byOid.get(oid),
    }
  })
}

async function readRoles(tx: Queryable): Promise<readonly ApiRole[]> {
  const rows = await tx.query<{ name: string; bypassesRls: boolean; settings: readonly string[] | null }>(sql`
    select role.rolname as name, role.rolbypassrls as "bypassesRls",
           (select array_agg(entry) from unnest(config.setconfig) as entry where ${maySet(sql`entry`)}) as settings
      from pg_catalog.pg_roles role
      left join pg_catalog.pg_db_role_setting config on config.setrole = role.oid and config.setdatabase = 0
     where exists (
             select from pg_catalog.pg_auth_members member
              join pg_catalog.pg_roles login on login.oid = member.member
             where member.roleid = role.oid and login.rolname = ${REQUEST_ROLE})
     order by role.rolname
  `)
  return rows.map((row) => ({ ...row, settings: parseSettings(row.settings) }))
}

/** SQL condition: custom settings are unrestricted; Postgres's superuser settings need a grant. */
function maySet(entry: SqlFragment): SqlFragment {
  const name = sql`lower(split_part(${entry}, '=', 1))`
  return sql`${name} not in ('role', 'session_authorization') and not exists (
    select from pg_catalog.pg_settings known
     where lower(known.name) = ${name} and known.context <> 'user'
       and not pg_catalog.has_parameter_privilege(${REQUEST_ROLE}, known.name, 'set'))`
}

/** Reads `alter role authenticator set`, which configures PostgREST. Settings for this database override those for all. */
export async function readRequestSettings(tx: Queryable): Promise<Readonly<Record<string, string>>> {
  const rows = await tx.query<{ settings: readonly string[] }>(sql`
    select config.setconfig as settings
      from pg_catalog.pg_db_role_setting config
      join pg_catalog.pg_roles role on role.oid = config.setrole and role.rolname = ${REQUEST_ROLE}
      left join pg_catalog.pg_database database on database.oid = config.setdatabase
     where config.setdatabase = 0 or database.datname = current_database()
     order by config.setdatabase
  `)
  return Object.assign({}, ...rows.map(({ settings }) => parseSettings(settings))) as Readonly<Record<string, string>>
}

async function readSchemas(tx: Queryable, roles: readonly string[]): Promise<readonly Schema[]> {
  const rows = await tx.query<{ name: string; comment: string | null; usage: readonly string[] | null }>(sql`
    select nsp.nspname as name, pg_catalog.obj_description(nsp.oid, 'pg_namespace') as comment,
           (select array_agg(role.name) from unnest(${roles}::text[]) as role (name)
             where pg_catalog.has_schema_privilege(role.name, nsp.oid, 'usage')) as usage
      from pg_catalog.pg_namespace nsp
     where ${ownSchema('nsp')}
     order by nsp.nspname
  `)
  return rows.map((row) => ({ name: row.name, comment: row.comment ?? undefined, usage: row.usage ?? [] }))
}

function hash(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) =>
    part instanceof Map ? [...(part as Map<string, unknown>)] : part,
  )
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
