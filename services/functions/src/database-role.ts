import { errorMessage, type Logger } from '@holdfast/foundation'
import { ensureRolePasswords, roleUrl, sql, SQLSTATE, sqlstateOf, type Pool, type Queryable } from '@holdfast/postgres'
import { DATABASE_ROLE_SETTINGS } from './limits.ts'

/** Database role used by `SUPABASE_DB_URL`. */
export const FUNCTIONS_ROLE = 'holdfast_functions'

/** Roles it inherits and may assume with `set role`. */
const MEMBER_OF = ['anon', 'authenticated', 'service_role']

/** Account tables that functions may access with SQL. Server keys, tokens and second factors are off limits. */
const ACCOUNT_TABLES = ['auth.users', 'auth.identities', 'auth.sessions']
const ACCOUNT_RIGHTS = ['select', 'insert', 'update', 'delete']

/** Advisory lock key (arbitrary) that serializes changes to the role. */
const LOCK_KEY = 4_711_054_383

export interface FunctionsDatabase {
  /** `SUPABASE_DB_URL`. @returns `undefined` if the role could not be created, which has been logged */
  url(): Promise<string | undefined>
}

export interface FunctionsDatabaseOptions {
  /** Connected as a superuser, or as the user of `DATABASE_URL`. */
  readonly pool: Pool
  /** Connection URL of `authenticator`, from which the role's password is derived. */
  readonly requestUrl: string
  /** Connection limit of all functions together. */
  readonly connectionsMax: number
  readonly logger: Logger
}

/** An existing role has rights that functions must not have. */
class UnfitRole extends Error {}

/**
 * Creates the functions' database role when the first function starts. It bypasses row-level security and has the rights of `service_role`, but is no
 * superuser, cannot create roles or read keys, and has a limited number of connections.
 */
export function openFunctionsDatabase(options: FunctionsDatabaseOptions): FunctionsDatabase {
  const { requestUrl, logger } = options
  const url = roleUrl(requestUrl, FUNCTIONS_ROLE)
  let ensuring: Promise<string | undefined> | undefined
  async function ensure(): Promise<string | undefined> {
    try {
      await ensureRole(options, url)
      return url
    } catch (error) {
      const isRefused = sqlstateOf(error) === SQLSTATE.insufficientPrivilege || error instanceof UnfitRole
      if (isRefused) {
        logger.log('warn', `edge functions get no SUPABASE_DB_URL: ${errorMessage(error)}`, {
          hint: `As a superuser: ${createStatement(options.connectionsMax)}; grant ${MEMBER_OF.join(', ')} to ${FUNCTIONS_ROLE}; grant ${FUNCTIONS_ROLE} to the user of DATABASE_URL with admin option`,
        })
        return undefined
      }
      // Postgres is unreachable: the role may exist from an earlier start, otherwise the next function process retries.
      logger.log('warn', `the database role of edge functions could not be checked: ${errorMessage(error)}`)
      ensuring = undefined
      return url
    }
  }
  return { url: () => (ensuring ??= ensure()) }
}

async function ensureRole({ pool, connectionsMax, logger }: FunctionsDatabaseOptions, url: string): Promise<void> {
  await pool.transaction(async (db) => {
    await db.execute(sql`select pg_catalog.pg_advisory_xact_lock(${LOCK_KEY})`)
    await ensureAttributes(db, connectionsMax)
    await ensureRolePasswords(db, [url])
    await ensureMemberships(db)
  })
  try {
    await pool.transaction(ensureAccountRights)
  } catch (error) {
    if (sqlstateOf(error) !== SQLSTATE.insufficientPrivilege) throw error
    logger.log('warn', `edge functions cannot access accounts with SUPABASE_DB_URL: ${errorMessage(error)}`)
  }
}

/** @throws {UnfitRole} if a role of that name has rights that functions must not have */
async function ensureAttributes(db: Queryable, connectionsMax: number): Promise<void> {
  const role = sql.identifier(FUNCTIONS_ROLE)
  const limit = sql.trusted(String(connectionsMax))
  const [found] = await db.query<{ unfit: boolean; max: number; config: readonly string[] | null }>(sql`
    select rolsuper or rolcreaterole or rolcreatedb or rolreplication as unfit, rolconnlimit as max, rolconfig as config
      from pg_catalog.pg_roles where rolname = ${FUNCTIONS_ROLE}`)
  if (found?.unfit === true)
    throw new UnfitRole(`the role ${FUNCTIONS_ROLE} exists and has more rights than functions may have`)
  if (!found) await db.execute(sql`${sql.trusted(createStatement(connectionsMax))}`)
  else if (found.max !== connectionsMax) await db.execute(sql`alter role ${role} connection limit ${limit}`)
  const names = new Set(found?.config?.map((one) => one.split('=')[0]))
  for (const [name, value] of Object.entries(DATABASE_ROLE_SETTINGS))
    if (!names.has(name)) await db.execute(sql`${sql.trusted(`alter role ${FUNCTIONS_ROLE} set ${name} = ${value}`)}`)
}

function createStatement(connectionsMax: number): string {
  return `create role ${FUNCTIONS_ROLE} login bypassrls connection limit ${connectionsMax}`
}

async function ensureMemberships(db: Queryable): Promise<void> {
  const missing = await db.query<{ role: string }>(sql`
    select role from unnest(${MEMBER_OF}::text[]) role where not pg_catalog.pg_has_role(${FUNCTIONS_ROLE}, role, 'member')`)
  for (const { role } of missing)
    await db.execute(sql`grant ${sql.identifier(role)} to ${sql.identifier(FUNCTIONS_ROLE)}`)
}

/** Grants only missing rights, because every change invalidates Postgres's catalog caches. */
async function ensureAccountRights(db: Queryable): Promise<void> {
  const missing = await db.query<{ name: string }>(sql`
    select name from unnest(${ACCOUNT_TABLES}::text[]) name
     where to_regclass(name) is not null
       and not (select bool_and(has_table_privilege(${FUNCTIONS_ROLE}, name, "right")) from unnest(${ACCOUNT_RIGHTS}::text[]) "right")`)
  for (const { name } of missing)
    await db.execute(sql`${sql.trusted(`grant ${ACCOUNT_RIGHTS.join(', ')} on ${name} to ${FUNCTIONS_ROLE}`)}`)
}
