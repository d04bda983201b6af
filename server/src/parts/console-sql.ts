import { invalidRequest, type OpenSqlSession, type SqlIdentity, type SqlSession } from '@holdfast/console'
import {
  type Cluster,
  ensureRolePasswords,
  type Pool,
  quoteIdentifier,
  REQUEST_ROLE,
  roleUrl,
  sql,
  withOwnSettings,
} from '@holdfast/postgres'
import type { Accounts } from './accounts.ts'

/** Prefix of the login roles under which operators run SQL as a user. */
const LOGIN_PREFIX = 'holdfast_as_'

/** Postgres truncates longer names, so that two roles could share one. */
const NAME_BYTES_MAX = 63

export interface SqlSessionParts {
  readonly cluster: Pick<Cluster, 'adminUrl' | 'serverVersion'>
  readonly accounts: Accounts
  /** Connects as `authenticator`. */
  readonly requestUrl: string
}

/**
 * Opens the sessions of the SQL editor. Users' SQL logs in as a role that is a member of theirs only: `authenticator` could leave it for `service_role` by
 * `set role`, in a function, or after a commit.
 *
 * @param pool - connects as the superuser
 */
export function createSqlSessions(pool: Pool, { cluster, accounts, requestUrl }: SqlSessionParts): OpenSqlSession {
  const logins = new Map<string, Promise<string>>()
  const projectUrl = withOwnSettings(cluster.adminUrl, cluster.serverVersion)

  async function openProject(): Promise<SqlSession> {
    const user = decodeURIComponent(new URL(cluster.adminUrl).username).replace(/\..+$/, '')
    return { url: projectUrl, ...((await ownsConsole(pool, user)) && { needs: 'owner' }) }
  }

  /** Concurrent runs share one creation, which would otherwise fail for the second. */
  async function findLogin(role: string): Promise<string> {
    const login = logins.get(role) ?? ensureLogin(pool, role, requestUrl).finally(() => logins.delete(role))
    logins.set(role, login)
    return login
  }

  return async (as: SqlIdentity) => {
    if (as.kind === 'postgres') return openProject()
    const claims = as.kind === 'user' ? await accounts.auth.claimsOfUser(as.id) : { role: 'anon' }
    if (!claims) return undefined
    const role = String(claims.role ?? 'anon')
    const url = await findLogin(role)
    return { url, role, claims: { ...claims }, settings: await readRoleSettings(pool, role) }
  }
}

/** Whether a role could change operators and the audit log, as on a Postgres whose owner runs Holdfast. */
async function ownsConsole(pool: Pool, role: string): Promise<boolean> {
  const [row] = await pool.query<{ owns: boolean }>(sql`
    select r.rolsuper or pg_catalog.pg_has_role(r.oid, n.nspowner, 'member') as owns
      from pg_catalog.pg_roles r, pg_catalog.pg_namespace n
     where r.rolname = ${role} and n.nspname = 'holdfast_console'`)
  return row?.owns ?? true
}

/**
 * Ensures a login role that is a member of `role` and of no other.
 *
 * @returns its URL
 * @throws {HoldfastError} `invalid_request` for a role that requests cannot have
 */
async function ensureLogin(pool: Pool, role: string, requestUrl: string): Promise<string> {
  const name = `${LOGIN_PREFIX}${role}`
  const [state] = await pool.query<{ allowed: boolean; exists: boolean; isMember: boolean; version: number }>(sql`
    select exists (select from pg_catalog.pg_roles r
                    where r.rolname = ${role} and not r.rolsuper
                      and pg_catalog.pg_has_role(${REQUEST_ROLE}, r.oid, 'member')) as allowed,
           exists (select from pg_catalog.pg_roles where rolname = ${name}) as exists,
           exists (select from pg_catalog.pg_auth_members m
                    where m.member = to_regrole(${quoteIdentifier(name)}) and m.roleid = to_regrole(${quoteIdentifier(role)})) as "isMember",
           current_setting('server_version_num')::int as version`)
  if (!state?.allowed || Buffer.byteLength(name) > NAME_BYTES_MAX)
    throw invalidRequest(`Users with the role "${role}" cannot make requests: authenticator is not a member of it.`)
  const [login, member] = [quoteIdentifier(name), quoteIdentifier(role)]
  // Also after `reset role` the rights are those of the user's role, including its policies.
  if (!state.exists) await pool.execute(sql`${sql.trusted(`create role ${login} inherit`)}`)
  const how = state.version >= 160_000 ? ' with inherit true, set true' : ''
  if (!state.isMember) await pool.execute(sql`${sql.trusted(`grant ${member} to ${login}${how}`)}`)
  const url = roleUrl(requestUrl, name)
  await ensureRolePasswords(pool, [url])
  return url
}

/** Settings of requests: those of `authenticator`, and over them those of the role. Postgres applies them at login only. */
async function readRoleSettings(pool: Pool, role: string): Promise<Readonly<Record<string, string>>> {
  const rows = await pool.query<{ name: string; value: string }>(sql`
    select given.name, given.value
      from pg_catalog.pg_db_role_setting d
      join pg_catalog.pg_database b on d.setdatabase in (0, b.oid) and b.datname = current_database()
      join pg_catalog.pg_roles r on r.oid = d.setrole and r.rolname in (${REQUEST_ROLE}, ${role})
     cross join lateral (select split_part(s, '=', 1) as name, substr(s, strpos(s, '=') + 1) as value from unnest(d.setconfig) s) given
      left join pg_catalog.pg_settings s on s.name = given.name
     where s.context = 'user' or (s.name is null and strpos(given.name, '.') > 0)
     order by r.rolname = ${role}, d.setdatabase <> 0`)
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}
