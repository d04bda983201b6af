import { randomBytes } from 'node:crypto'
import { delay, errorMessage, HoldfastError, type Logger } from '@holdfast/foundation'
import { openOwnConnection, sql, SQLSTATE, sqlstateOf, type OwnConnection, type Queryable } from '@holdfast/postgres'
import { describeTransactions } from './blocking-transactions.ts'
import { LEASE_LOCK_TIMEOUT_MS, LEASE_POLL_MS, LEASE_RENEWAL_MS, LEASE_STALE_MS } from '../limits.ts'
import { leaseLost } from './fence.ts'

/** Class of the advisory locks, followed by their objects. Advisory locks are per database. */
const LOCKS = 18_502
const HOLDER = 1
const STANDBY = 2
const WRITES = 3

/** Beginning of the names of connections that have the lease or wait for it; the server's name follows. */
const LEASE_CONNECTION = 'holdfast lease '

/** The channel on which event triggers announce schema changes. */
const CATALOG_LISTEN = sql`listen holdfast_catalog`

/** The right to read the replication slot and to write the log. */
export interface Lease extends AsyncDisposable {
  /** Included in every write. */
  readonly epoch: number
  /** Aborts when another process has, or may have, the lease. */
  readonly lost: AbortSignal
}

export interface LeaseOptions {
  readonly url: string
  /** Identifies the process; part of its connections' names. */
  readonly instance: string
  /** Called when tables or policies have changed while this process stands by. */
  readonly onCatalogChange?: () => void
  /** Called while this process has the lease, after each renewal: whether others stand by. */
  readonly onStandbys?: (areThere: boolean) => void
  readonly logger: Logger
}

export function createInstance(): string {
  return randomBytes(4).toString('hex')
}

/** Observed lease of another process. */
interface Observed {
  readonly holder: string
  readonly renewals: string
}

/**
 * Waits until no other process has the lease, and takes it.
 * The holder's advisory lock ends with its connection, so a crashed process is replaced immediately. A process that hangs or has lost its network keeps the
 * lock: if it has not renewed the lease for some seconds, its connections are terminated. With its old epoch it can no longer write.
 *
 * @param onStandby - called with the holder while another process has the lease
 * @throws the connection error
 */
export async function acquireLease(
  options: LeaseOptions,
  signal: AbortSignal,
  onStandby: (holder: string) => void,
): Promise<Lease> {
  const db = await openOwnConnection({ url: options.url, applicationName: LEASE_CONNECTION + options.instance })
  const onCatalogChange = (): void => options.onCatalogChange?.()
  const end = (): void => void db[Symbol.asyncDispose]()
  let stopListening = (): void => undefined
  try {
    signal.addEventListener('abort', end, { once: true })
    let seen: Observed | undefined
    let seenSinceMs = 0
    while (!(await tryLock(db))) {
      signal.throwIfAborted()
      if (!seen) {
        await db.query(sql`select pg_advisory_lock_shared(${LOCKS}, ${STANDBY})`)
        stopListening = db.onNotification(onCatalogChange)
        await db.execute(CATALOG_LISTEN)
      }
      const now = await observe(db)
      if (!seen || now.holder !== seen.holder || now.renewals !== seen.renewals) seenSinceMs = performance.now()
      if (now.holder !== seen?.holder) onStandby(now.holder)
      seen = now
      if (performance.now() - seenSinceMs > LEASE_STALE_MS) {
        options.logger.log('warn', 'the process that has the lease does not answer: its connections are ended', {
          holder: now.holder,
        })
        await endConnections(db, now.holder, true)
      }
      await delay(LEASE_POLL_MS, signal)
    }
    if (seen) {
      await db.query(sql`select pg_advisory_unlock_shared(${LOCKS}, ${STANDBY})`)
      await db.execute(sql`unlisten *`)
      stopListening()
    }
    const epoch = await takeOver(db, options.instance)
    options.logger.log('info', 'this process has the lease of the operation log', { epoch })
    signal.removeEventListener('abort', end)
    return hold(db, epoch, options)
  } catch (error) {
    end()
    throw error
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** A server of the database. */
export interface ListedServer {
  /** Random, new with each start. */
  readonly name: string
  /** `reader`: reads the changes and writes the log. `follower`: serves devices from the log, and takes over when the reader is gone. */
  readonly role: 'reader' | 'follower'
  /** ISO 8601. When it last connected to compete for the lease. */
  readonly since: string
  /** Its address as Postgres sees it; missing for a local socket. */
  readonly address?: string
}

/** Lists the servers that have the lease or wait for it, the reader first. Postgres knows them by their connections. */
export async function listServers(db: Queryable): Promise<readonly ListedServer[]> {
  const rows = await db.query<{ name: string; is_reader: boolean; since: Date; address: string | null }>(sql`
    select substr(a.application_name, ${LEASE_CONNECTION.length + 1}) as name, a.backend_start as since, host(a.client_addr) as address,
           exists (select from pg_catalog.pg_locks l
                    where l.pid = a.pid and l.locktype = 'advisory' and l.classid = ${LOCKS}::int::oid and l.objid = ${HOLDER}::int::oid
                      and l.objsubid = 2 and l.granted) as is_reader
      from pg_catalog.pg_stat_activity a
     where a.datname = current_database() and starts_with(a.application_name, ${LEASE_CONNECTION})
     order by is_reader desc, since, name`)
  return rows.map(({ name, is_reader: isReader, since, address }) => ({
    name,
    role: isReader ? 'reader' : 'follower',
    since: since.toISOString(),
    ...(address === null ? {} : { address }),
  }))
}

async function tryLock(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ locked: boolean }>(sql`select pg_try_advisory_lock(${LOCKS}, ${HOLDER}) as locked`)
  return row?.locked === true
}

async function observe(db: Queryable): Promise<Observed> {
  const [row] = await db.query<Observed>(sql`select holder, renewals::text from sync.lease`)
  return row ?? { holder: '', renewals: '' }
}

/**
 * Terminates the holder's connections, because a hanging process would keep its locks. `withLease` includes the connection that holds the lease, even if it
 * has not stored its name yet.
 */
async function endConnections(db: Queryable, holder: string, withLease: boolean): Promise<void> {
  const names = [`holdfast sync ${holder}`, ...(withLease ? [LEASE_CONNECTION + holder] : [])]
  await db.query(sql`
    select pg_terminate_backend(pid) from pg_catalog.pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()
       and (application_name = any(${names}::text[])
         or ${withLease} and starts_with(application_name, ${LEASE_CONNECTION}) and pid in (
              select pid from pg_catalog.pg_locks
               where locktype = 'advisory' and classid = ${LOCKS}::int::oid and objid = ${HOLDER}::int::oid and objsubid = 2 and granted))`)
}

/** Starts the next epoch once no write of the previous one is running. @throws {HoldfastError} `sync_lease_blocked` with the blocking sessions */
async function takeOver(db: Queryable, instance: string): Promise<number> {
  const { holder } = await observe(db)
  if (holder !== '' && holder !== instance) await endConnections(db, holder, false)
  for (let attempt = 0; ; attempt++) {
    try {
      return await makeEpoch(db, instance)
    } catch (error) {
      if (sqlstateOf(error) !== SQLSTATE.lockNotAvailable) throw error
      await db.execute(sql`rollback`)
      const blocking = await findWriting(db)
      // Only the lease holder writes, so these belong to processes that had the lease before.
      const leftovers = blocking.filter(({ application }) => application?.startsWith('holdfast sync '))
      for (const { pid } of leftovers) await db.query(sql`select pg_terminate_backend(${pid}::int)`)
      if (attempt > 0 || leftovers.length < blocking.length) throw await leaseBlocked(db, blocking)
    }
  }
}

interface Writing {
  readonly pid: number
  readonly application: string | null
}

async function findWriting(db: Queryable): Promise<readonly Writing[]> {
  return await db.query<Writing>(sql`
    select distinct l.pid, a.application_name as application
      from pg_catalog.pg_locks l
      join pg_catalog.pg_database d on d.oid = l.database and d.datname = current_database()
      left join pg_catalog.pg_stat_activity a on a.pid = l.pid
     where l.granted and l.pid <> pg_backend_pid()
       and (l.locktype = 'advisory' and l.classid = ${LOCKS}::int::oid and l.objid = ${WRITES}::int::oid and l.objsubid = 2
         or l.locktype = 'relation' and l.relation in ('sync.state'::regclass, 'sync.lease'::regclass)
            and l.mode not in ('AccessShareLock', 'RowShareLock', 'ShareUpdateExclusiveLock'))`)
}

async function leaseBlocked(db: Queryable, blocking: readonly Writing[]): Promise<HoldfastError> {
  const pids = blocking.map(({ pid }) => pid)
  const names = pids.length === 0 ? ['a transaction that has just ended'] : await describeTransactions(db, pids)
  return new HoldfastError(
    'sync_lease_blocked',
    503,
    `The operation log is locked; devices are served once this has ended: ${names.join('; ')}`,
  )
}

async function makeEpoch(db: Queryable, instance: string): Promise<number> {
  await db.execute(sql`begin`)
  await db.execute(sql`set local lock_timeout = ${sql.trusted(String(LEASE_LOCK_TIMEOUT_MS))}`)
  await db.query(sql`select pg_advisory_xact_lock(${LOCKS}, ${WRITES})`)
  const [row] = await db.query<{ epoch: string }>(sql`
    insert into sync.state as s (slot_name, epoch) values ('', 1)
    on conflict (only_row) do update set epoch = s.epoch + 1
    returning epoch::text`)
  await db.execute(sql`update sync.lease set holder = ${instance}`)
  await db.execute(sql`commit`)
  return Number(row?.epoch)
}

/** Renews the lease while another process stands by, and detects its loss. */
function hold(db: OwnConnection, epoch: number, { instance, onStandbys, logger }: LeaseOptions): Lease {
  const lost = new AbortController()
  const lose = (): void => {
    clearInterval(timer)
    lost.abort(leaseLost())
  }
  const timer = setInterval(() => void renew(), LEASE_RENEWAL_MS)
  db.onEnd(lose)

  async function renew(): Promise<void> {
    try {
      const renewed = await db.execute(sql`
        update sync.lease set renewals = renewals + 1
         where holder = ${instance}
           and exists (select from pg_catalog.pg_locks l join pg_catalog.pg_database d on d.oid = l.database
                        where d.datname = current_database() and l.locktype = 'advisory' and l.classid = ${LOCKS}::int::oid
                          and l.objid = ${STANDBY}::int::oid and l.objsubid = 2 and l.granted)`)
      if (!lost.signal.aborted) onStandbys?.(renewed > 0)
    } catch (error) {
      if (lost.signal.aborted) return
      logger.log('debug', 'the lease could not be renewed', { reason: errorMessage(error) })
      lose()
    }
  }

  return {
    epoch,
    lost: lost.signal,
    async [Symbol.asyncDispose]() {
      lose()
      // Immediately, rather than when Postgres notices the closed connection, because the next process is waiting.
      await db.query(sql`select pg_advisory_unlock_all()`).catch(() => undefined) // the connection is gone, and the lock with it
      await db[Symbol.asyncDispose]()
    },
  }
}
