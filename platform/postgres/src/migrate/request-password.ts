import { Client } from 'pg'
import type { Logger } from '@holdfast/foundation'
import { REQUEST_ROLE, type Cluster } from '../cluster/cluster.ts'
import { queryable, type Pool, type Queryable } from '../connection/pool.ts'
import { isConnectionLoss } from '../connection/sqlstate.ts'
import { sql } from '../sql/sql.ts'
import { ensureRolePasswords, hasPassword } from '../cluster/role-password.ts'
import { withSessionLock } from './session-lock.ts'

/** Timeout in ms of a trial login. */
const CONNECT_TIMEOUT_MS = 10_000

/** Advisory lock that serializes this decision among servers; an arbitrary number. */
const LOCK_KEY = 4_711_054_322

/**
 * Determines the password of `authenticator` and sets those of all login roles. All servers of a database use the recorded one, because changing it would lock
 * the others out. Without a working recorded password, one the role already has is kept.
 *
 * An embedded cluster uses the password of its data folder.
 *
 * @param pool - connected as a superuser or the roles' owner
 * @param otherUrls - URLs of further roles, whose passwords derive from `authenticator`'s
 * @returns the URL for requests
 */
export async function openRequestRole(
  pool: Pool,
  cluster: Pick<Cluster, 'kind' | 'requestUrl' | 'otherRequestUrls'>,
  otherUrls: (requestUrl: string) => readonly string[],
  logger: Logger,
): Promise<string> {
  return pool.withClient((client) =>
    withSessionLock(client, { key: LOCK_KEY, logger }, async () => {
      const db = queryable(client)
      const recorded = await readRecorded(db)
      const requestUrl = cluster.kind === 'embedded' ? cluster.requestUrl : await choose(db, cluster, recorded)
      await ensureRolePasswords(db, [requestUrl, ...otherUrls(requestUrl)])
      await recordRequestPassword(db, requestUrl)
      return requestUrl
    }),
  )
}

/** Records the request URL for other servers of this database, also after the record was dropped. */
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

/** Returns the first working URL of the recorded and known ones; the server's own if none works. */
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

/** Tests a URL. Only a superuser can compare verifiers; others try to log in. */
async function works(db: Queryable, url: string): Promise<boolean> {
  return (await hasPassword(db, url)) ?? (await canLogIn(url))
}

/** @throws if Postgres is unreachable */
async function canLogIn(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => undefined) // a broken connection also rejects `connect`
  try {
    await client.connect()
    return true
  } catch (error) {
    if (isConnectionLoss(error)) throw error
    return false // includes poolers that do not know the role yet
  } finally {
    await client.end().catch(() => undefined) // not open, or gone
  }
}
