import { Client } from 'pg'
import { REQUEST_ROLE, type Cluster } from '../cluster/cluster.ts'
import { queryable, type Pool, type Queryable } from '../connection/pool.ts'
import { isConnectionLoss } from '../connection/sqlstate.ts'
import { sql } from '../sql/sql.ts'
import { ensureRolePasswords, hasPassword } from '../cluster/role-password.ts'

/** How long a login that is tried may take, in milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000

/** Key of the advisory lock under which one server at a time decides. Any fixed number. */
const LOCK_KEY = 4_711_054_322

/**
 * Decides which password `authenticator` has and sets those of all roles that log in. All servers of a database use the one recorded there, since a server that
 * sets another locks the others out. Where none is recorded yet, or the recorded one no longer works, a password that the role already has is kept.
 *
 * An embedded cluster has the password of its data folder.
 *
 * @param pool - connected as a superuser or as the owner of the roles
 * @param otherUrls - addresses of further roles, whose passwords follow from the one of `authenticator`
 * @returns how requests log in
 */
export async function openRequestRole(
  pool: Pool,
  cluster: Pick<Cluster, 'kind' | 'requestUrl' | 'otherRequestUrls'>,
  otherUrls: (requestUrl: string) => readonly string[],
): Promise<string> {
  return pool.withClient(async (client) => {
    const db = queryable(client)
    await db.execute(sql`select pg_advisory_lock(${LOCK_KEY})`)
    try {
      const recorded = await readRecorded(db)
      const requestUrl = cluster.kind === 'embedded' ? cluster.requestUrl : await choose(db, cluster, recorded)
      await ensureRolePasswords(db, [requestUrl, ...otherUrls(requestUrl)])
      await recordRequestPassword(db, requestUrl)
      return requestUrl
    } finally {
      await db.execute(sql`select pg_advisory_unlock(${LOCK_KEY})`)
    }
  })
}

/** Records how requests log in, for the other servers of this database; also after a person dropped the record. */
export async function recordRequestPassword(db: Queryable, requestUrl: string): Promise<void> {
  const password = decodeURIComponent(new URL(requestUrl).password)
  await db.execute(sql`
    insert into holdfast.login_passwords as p (role, password) values (${REQUEST_ROLE}, ${password})
    on conflict (role) do update set password = excluded.password where p.password <> excluded.password`)
}

async function readRecorded(db: Queryable): Promise<string | undefined> {
  const [row] = await db.query<{ password: string }>(
    sql`select password from holdfast.login_passwords where role = ${REQUEST_ROLE}`,
  )
  return row?.password
}

/** The first address that works, of the recorded one and those that this server knows; its own one when none does. */
async function choose(
  db: Queryable,
  { requestUrl, otherRequestUrls }: Pick<Cluster, 'requestUrl' | 'otherRequestUrls'>,
  recorded: string | undefined,
): Promise<string> {
  const first = recorded === undefined ? [] : [withPassword(requestUrl, recorded)]
  for (const url of new Set([...first, requestUrl, ...otherRequestUrls])) if (await works(db, url)) return url
  return requestUrl
}

function withPassword(requestUrl: string, password: string): string {
  const url = new URL(requestUrl)
  url.password = password
  return url.href
}

/** Only a superuser can compare the stored verifier; anyone else tries to log in. */
async function works(db: Queryable, url: string): Promise<boolean> {
  return (await hasPassword(db, url)) ?? (await canLogIn(url))
}

/** @throws when Postgres cannot be reached */
async function canLogIn(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => undefined) // a broken connection also rejects `connect`
  try {
    await client.connect()
    return true
  } catch (error) {
    if (isConnectionLoss(error)) throw error
    return false // also a pooler that does not know the role yet, whatever it says
  } finally {
    await client.end().catch(() => undefined) // it was not open, or is gone
  }
}
