import { errorMessage, HoldfastError } from '@holdfast/foundation'
import { createPool, sql, sqlstateOf, type Queryable } from '@holdfast/postgres'
import { REPLICA_CONNECT_MS } from './limits.ts'

/**
 * Refuses a replica of another database, and credentials that Postgres rejects. Does nothing if the replica is down or has been promoted: after a failover
 * servers must start, and they read from the primary until the replica is one again.
 *
 * @param url - of the replica
 * @throws {HoldfastError} `replica_refused`, `replica_elsewhere`
 */
export async function checkReplica(primary: Queryable, url: string): Promise<void> {
  await using pool = createPool({
    url,
    applicationName: 'holdfast replica check',
    connectionsMax: 1,
    acquireTimeoutMs: REPLICA_CONNECT_MS,
  })
  let found: DatabaseIdentity
  try {
    found = await identify(pool)
  } catch (error) {
    if (!REFUSED_STATES.test(sqlstateOf(error) ?? '')) return // down at the moment
    throw new HoldfastError('replica_refused', 500, 'The Postgres of DATABASE_REPLICA_URL refuses the connection.', {
      detail: errorMessage(error),
      hint: 'A replica has the databases, users and passwords of DATABASE_URL: correct those in DATABASE_REPLICA_URL.',
      cause: error,
    })
  }
  const expected = await identify(primary)
  const isOther =
    found.database !== expected.database || (found.system ?? expected.system) !== (expected.system ?? found.system)
  if (!isOther) return
  throw new HoldfastError('replica_elsewhere', 500, 'DATABASE_REPLICA_URL is not a replica of DATABASE_URL.', {
    detail: `It has database ${found.database} of system ${found.system}, and DATABASE_URL has database ${expected.database} of system ${expected.system}.`,
    hint: 'Name a physical replica (streaming replication) of the same server and the same database, or start without it.',
  })
}

/** SQLSTATEs of wrong users, passwords and database names. */
const REFUSED_STATES = /^(28|3D)/

interface DatabaseIdentity {
  readonly database: string
  /** `undefined` if the role may not know it. */
  readonly system: string | undefined
}

async function identify(db: Queryable): Promise<DatabaseIdentity> {
  const [row] = await db.query<{ database: string; may_identify: boolean }>(sql`
    select oid::text as database, has_function_privilege('pg_catalog.pg_control_system()', 'execute') as may_identify
      from pg_catalog.pg_database where datname = current_database()`)
  const [control] = row?.may_identify
    ? await db.query<{ system: string }>(
        sql`select system_identifier::text as system from pg_catalog.pg_control_system()`,
      )
    : []
  return { database: row?.database ?? '', system: control?.system }
}
