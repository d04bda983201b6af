import { sql, type Pool } from '@holdfast/postgres'
import { CLAIMED_MS, FAILURES_MAX, NEWS_MS } from './limits.ts'

export type NewsKind = 'mention' | 'reply' | 'assigned'

/** Something that may be new for a person; whether they may see it is not said. */
export interface QueuedEvent {
  readonly id: string
  readonly userId: string
  readonly kind: NewsKind
  /** A comment, or an entry of the history. */
  readonly sourceId: string
  /** How often it has been tried, this time included. */
  readonly attempts: number
}

/** A browser that takes notifications. */
export interface PushDevice {
  readonly id: string
  readonly sessionId: string
  readonly endpoint: string
  /** base64url */
  readonly publicKey: string
  /** base64url */
  readonly secret: string
}

/**
 * Takes all that is due of some people, the longest waiting first. Another server leaves it alone until it could not be under way any more.
 *
 * @param busy - people whose turn it is already
 */
export async function claim(pool: Pool, busy: readonly string[], peopleMax: number): Promise<readonly QueuedEvent[]> {
  return pool.query<QueuedEvent>(sql`
    with people as (
      select e.user_id from holdfast.push_events e
       where e.due_at <= clock_timestamp() and e.user_id <> all (${busy}::uuid[])
       group by e.user_id order by min(e.id) limit ${peopleMax}),
    due as (
      select e.id from holdfast.push_events e join people using (user_id)
       where e.due_at <= clock_timestamp() order by e.id for update of e skip locked)
    update holdfast.push_events e
       set attempts = e.attempts + 1, due_at = clock_timestamp() + ${CLAIMED_MS} * interval '1 millisecond'
      from due where e.id = due.id
    returning e.id::text as id, e.user_id as "userId", e.kind, e.source_id as "sourceId", e.attempts`)
}

/**
 * @param busy - people whose turn it is: what is new for them is looked for when it ends
 * @returns milliseconds until something is due for others, `undefined` when nothing waits for them
 */
export async function nextDueMs(pool: Pool, busy: readonly string[]): Promise<number | undefined> {
  const [row] = await pool.query<{ ms: number | null }>(sql`
    select (extract(epoch from min(e.due_at) - clock_timestamp()) * 1000)::float8 as ms
      from holdfast.push_events e where e.user_id <> all (${busy}::uuid[])`)
  return row?.ms == null ? undefined : Math.max(0, row.ms)
}

/** What was sent, or is not to be, leaves the queue. */
export async function finish(pool: Pool, ids: readonly string[]): Promise<void> {
  await pool.execute(sql`delete from holdfast.push_events e where e.id = any (${ids}::bigint[])`)
}

export async function postpone(pool: Pool, ids: readonly string[], ms: number): Promise<void> {
  await pool.execute(sql`
    update holdfast.push_events e set due_at = clock_timestamp() + ${ms} * interval '1 millisecond' where e.id = any (${ids}::bigint[])`)
}

/** What could not be sent in a day is no news any more. */
export async function prune(pool: Pool): Promise<void> {
  await pool.execute(sql`
    delete from holdfast.push_events e
     where e.id in (select o.id from holdfast.push_events o
                     where o.created_at < now() - ${NEWS_MS} * interval '1 millisecond' limit 10000 for update skip locked)`)
}

export async function listDevices(pool: Pool, userId: string): Promise<readonly PushDevice[]> {
  return pool.query<PushDevice>(sql`
    select d.id, d.session_id as "sessionId", d.endpoint, d.public_key as "publicKey", d.secret
      from holdfast.push_devices d where d.user_id = ${userId} order by d.updated_at desc`)
}

export async function forgetDevice(pool: Pool, { id }: PushDevice): Promise<void> {
  await pool.execute(sql`delete from holdfast.push_devices d where d.id = ${id}`)
}

/** Counts failures in a row; a device with too many is forgotten. */
export async function noteOutcome(pool: Pool, { id }: PushDevice, isTaken: boolean): Promise<void> {
  if (isTaken)
    await pool.execute(sql`update holdfast.push_devices d set failures = 0 where d.id = ${id} and d.failures > 0`)
  else
    await pool.execute(sql`
      with failed as (
        update holdfast.push_devices d set failures = d.failures + 1 where d.id = ${id} and d.failures < ${FAILURES_MAX} returning d.id)
      delete from holdfast.push_devices d where d.id = ${id} and not exists (select from failed)`)
}
