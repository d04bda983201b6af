import { assert, delay, errorMessage, type Logger } from '@holdfast/foundation'
import { type Queryable, sql, type Pool } from '@holdfast/postgres'
import { createSlot, type CreatedSlot } from '@holdfast/replication'
import { describeTransactions } from '../../lease/blocking-transactions.ts'
import { ABANDONED_MS, SLOT_LOOK_MS } from '../../limits.ts'
import type { ReplicatorOptions } from './replicator-options.ts'

export interface ChangeSlotOptions extends Pick<ReplicatorOptions, 'pool' | 'url' | 'logger'> {
  readonly name: string
  /** Aborts immediately, leaving nothing in Postgres. */
  readonly signal: AbortSignal
  /** Called with an operator message that names the blocking transactions, and with `undefined` when the wait ends. */
  readonly onWaiting: (problem: string | undefined) => void
}

/**
 * Creates the replication slot. Postgres first waits for all running write transactions to end, however long that takes. They are reported in the log and to
 * `onWaiting`.
 */
export async function createChangeSlot(options: ChangeSlotOptions): Promise<CreatedSlot> {
  const { pool, url, name, signal, onWaiting } = options
  signal.throwIfAborted()
  const made = new AbortController()
  const looking = look(options, AbortSignal.any([made.signal, signal]))
  const giveUp = (): void => void endCreation(pool, name)
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    return await createSlot({ url, name })
  } finally {
    signal.removeEventListener('abort', giveUp)
    made.abort(new Error('the slot is made, or was given up'))
    await looking
    onWaiting(undefined)
  }
}

/** Polls for blocking transactions, logs each change, and ends those that servers have abandoned. */
async function look({ pool, name, logger, onWaiting }: ChangeSlotOptions, signal: AbortSignal): Promise<void> {
  let logged = ''
  for (;;) {
    try {
      await delay(SLOT_LOOK_MS, signal)
    } catch {
      return // the slot has been created
    }
    try {
      const pids = await readBlocking(pool, name)
      const transactions = await describeTransactions(pool, pids)
      onWaiting(
        pids.length === 0
          ? undefined
          : `Devices are served once transactions have ended that were open at the start: ${transactions.join('; ')}.`,
      )
      if (pids.join() !== logged && pids.length > 0)
        logger.log('warn', 'the replication slot waits for transactions that are open', { transactions })
      logged = pids.join()
      await endAbandoned(pool, pids, logger)
    } catch (error) {
      if (signal.aborted) return
      logger.log('debug', 'it is not known whom the replication slot waits for', { reason: errorMessage(error) })
    }
  }
}

/** Returns the processes whose transactions Postgres waits for; 0 for a prepared transaction. */
async function readBlocking(pool: Pool, name: string): Promise<readonly number[]> {
  const rows = await pool.query<{ pid: number }>(sql`
    select distinct b.pid
      from pg_catalog.pg_stat_activity s
     cross join lateral unnest(pg_catalog.pg_blocking_pids(s.pid)) b (pid)
     where s.application_name = ${applicationName(name)} and s.datname = current_database()
     order by b.pid`)
  return rows.map(({ pid }) => pid)
}

/** Terminates blocking sessions of servers that hang or are stopped in a transaction. Theirs never wait for anything but Postgres for that long. */
async function endAbandoned(pool: Pool, pids: readonly number[], logger: Logger): Promise<void> {
  const ended = await pool.query<{ pid: number; application: string }>(sql`
    select pid, application_name as application, pg_catalog.pg_terminate_backend(pid)
      from pg_catalog.pg_stat_activity
     where pid = any(${[...pids]}::int[]) and application_name ~ '^holdfast( |$)' and state like 'idle in transaction%'
       and state_change < clock_timestamp() - make_interval(secs => ${ABANDONED_MS}::float8 / 1000)`)
  if (ended.length > 0)
    logger.log('warn', 'transactions that a server does not continue have been ended', {
      connections: ended.map(({ pid, application }) => `${pid} (${application})`).join(', '),
    })
}

/** Terminates the walsender: while waiting, it does not notice that its client has disconnected, and would retain the slot's WAL. */
async function endCreation(pool: Pool, name: string): Promise<void> {
  await pool
    .query(
      sql`select pg_catalog.pg_terminate_backend(pid) from pg_catalog.pg_stat_activity
           where application_name = ${applicationName(name)} and datname = current_database()`,
    )
    .catch(() => undefined) // Postgres is gone, and so is the walsender
}

/** Application name used by {@link createSlot}. */
function applicationName(slot: string): string {
  return `holdfast slot ${slot}`
}

/** Returns a slot name per database: slots belong to the whole cluster, and a copy of a database must not reuse the slot of its original. */
export async function readSlotName(db: Queryable): Promise<string> {
  const [row] = await db.query<{ oid: string }>(sql`
    select oid::int8::text as oid from pg_catalog.pg_database where datname = current_database()
  `)
  assert(row, 'the current database is listed')
  return `holdfast_${row.oid}`
}
