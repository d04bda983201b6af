import { delay, errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import { sql, type Pool, type Queryable } from '@holdfast/postgres'
import { PREREQUISITES_POLL_MS } from '../../limits.ts'
import { createEventTriggers, readEventTriggers } from './event-triggers.ts'

/** Requirements for the database. */
export interface Prerequisites {
  /** Version of the event triggers; see `EventTriggers.version`. */
  readonly version: string
  /** Whether event triggers were missing, disabled or altered since tables were read, so that changes may have been missed. */
  readonly hasGap: boolean
}

/** The database does not meet the prerequisites of exact sync. The message is for operators. */
export class SyncRefusal extends HoldfastError {
  constructor(reasons: readonly string[]) {
    super('sync_refused', 503, `Sync is off: ${reasons.join('; ')}`)
  }
}

/**
 * Finds reasons why sync cannot follow this database exactly. Missing event triggers do not count if the user may create them.
 *
 * @param db - connects as the user of `DATABASE_URL`, or the superuser of the packaged Postgres
 * @param reader - connects as the role that reads tables for sync; default: the same
 * @returns sentences for operators, each with advice; none if there is no problem
 */
export async function findRefusals(db: Queryable, reader: Queryable = db): Promise<readonly string[]> {
  const [server] = await db.query<Server>(SERVER)
  const [role] = await reader.query<{ user: string; bypasses: boolean }>(sql`
    select rolname as "user", rolsuper or rolbypassrls as bypasses from pg_catalog.pg_roles where rolname = current_user`)
  if (!server || !role) return []
  const { missing, disabled } = await readEventTriggers(db)
  const { user } = server
  const reasons: string[] = []
  if (server.walLevel !== 'logical')
    reasons.push(`wal_level is ${server.walLevel} (set it to "logical" and restart that Postgres)`)
  if (!server.isSuperuser && !server.replicates)
    reasons.push(`role "${user}" may not replicate (as a superuser: alter role ${user} replication)`)
  if (!server.setsReplicationRole)
    reasons.push(
      `role "${user}" may not set session_replication_role (as a superuser: grant set on parameter session_replication_role to ${user})`,
    )
  if (!role.bypasses)
    reasons.push(
      `role "${role.user}", which reads the tables, is bound by policies (as a superuser: alter role ${role.user} bypassrls)`,
    )
  if (missing.length > 0 && !server.isSuperuser)
    reasons.push(
      `changes of policies and tables would go unnoticed: role "${user}" may not create event triggers, and ${list(missing)} missing (start once with a superuser in DATABASE_URL)`,
    )
  if (disabled.length > 0)
    reasons.push(
      `changes of policies and tables would go unnoticed: event trigger ${disabled.join(', ')} does not fire (as a superuser: ${disabled.map((name) => `alter event trigger ${name} enable always`).join('; ')})`,
    )
  if (server.hasEventTriggersOff)
    reasons.push(
      'changes of policies and tables would go unnoticed: event_triggers is off (reset it for this database and its roles)',
    )
  return reasons
}

interface Server {
  readonly user: string
  readonly isSuperuser: boolean
  readonly replicates: boolean
  readonly setsReplicationRole: boolean
  readonly walLevel: string
  /** Whether some session of this database has event triggers disabled. The setting exists since Postgres 17. */
  readonly hasEventTriggersOff: boolean
}

const SERVER = sql`
  select r.rolname as "user", r.rolsuper as "isSuperuser", r.rolreplication as replicates,
         pg_catalog.has_parameter_privilege('session_replication_role', 'set') as "setsReplicationRole",
         pg_catalog.current_setting('wal_level') as "walLevel",
         coalesce(pg_catalog.current_setting('event_triggers', true), 'on') = 'off' or exists (
           select from pg_catalog.pg_db_role_setting s, unnest(s.setconfig) c
            where c ~ '^event_triggers=(?!on$|true$|yes$|1$)'
              and s.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database()))) as "hasEventTriggersOff"
    from pg_catalog.pg_roles r where r.rolname = current_user`

function list(names: readonly string[]): string {
  return `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'}`
}

/** Ensures the prerequisites of sync. Creates missing event triggers. @throws {SyncRefusal} if they are not met */
export async function ensurePrerequisites(pool: Pool, readerPool: Pool, logger: Logger): Promise<Prerequisites> {
  const reasons = await findRefusals(pool, readerPool)
  if (reasons.length > 0) throw new SyncRefusal(reasons)
  const { missing } = await readEventTriggers(pool)
  if (missing.length > 0) {
    await pool.transaction((tx) => createEventTriggers(tx, missing))
    logger.log('warn', 'event triggers were missing and have been created', { names: missing.join(', ') })
  }
  const { version } = await readEventTriggers(pool)
  const [state] = await pool.query<{ version: string | null }>(sql`select event_triggers as version from sync.state`)
  return { version, hasGap: (state?.version ?? version) !== version }
}

/** Records the version of the event triggers for tables read from now on. */
export async function writePrerequisites(db: Queryable, { version }: Prerequisites): Promise<void> {
  await db.execute(
    sql`update sync.state set event_triggers = ${version} where event_triggers is distinct from ${version}`,
  )
}

/**
 * Polls the prerequisites every {@link PREREQUISITES_POLL_MS}, because `alter event trigger` and `alter role` fire no event triggers.
 *
 * @returns `lost` aborts with the reason once a prerequisite changes
 */
export function watchPrerequisites(
  { pool, readerPool, logger }: { readonly pool: Pool; readonly readerPool: Pool; readonly logger: Logger },
  { version }: Prerequisites,
): Disposable & { readonly lost: AbortSignal } {
  const stopping = new AbortController()
  const lost = new AbortController()

  async function look(): Promise<void> {
    const reasons = await findRefusals(pool, readerPool)
    if (reasons.length > 0) lost.abort(new SyncRefusal(reasons))
    else if ((await readEventTriggers(pool)).version !== version)
      lost.abort(
        new HoldfastError('event_triggers_changed', 503, 'The event triggers that sync depends on were changed'),
      )
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted && !lost.signal.aborted) {
      await delay(PREREQUISITES_POLL_MS, stopping.signal).catch(() => undefined) // stopping ends the loop
      if (stopping.signal.aborted) return
      await look().catch((error: unknown) =>
        logger.log('debug', 'the prerequisites of sync could not be looked at', { reason: errorMessage(error) }),
      )
    }
  }

  void watch()
  return {
    lost: lost.signal,
    [Symbol.dispose]: () => stopping.abort(new Error('the watch was closed')),
  }
}
