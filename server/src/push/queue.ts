import { sql, type Pool } from '@holdfast/postgres'
import { type Claimed, pruneSql, type QueueTable, settleSql } from '@holdfast/queue'
import { CLAIMED_MS, EVENTS_MAX, FAILURES_MAX, NEWS_MS, PRUNE_ROWS } from './limits.ts'

export type NewsKind = 'mention' | 'reply' | 'assigned' | 'notice'

/** Possible news for a user, whose access has not been checked. */
export interface QueuedEvent {
  readonly userId: string
  readonly kind: NewsKind
  /** Id of a comment, a history entry or a notice. */
  readonly sourceId: string
  /** Attempts including this one. */
  readonly attempts: number
}

/** A browser subscribed to notifications. */
export interface PushDevice {
  readonly id: string
  readonly sessionId: string
  readonly endpoint: string
  /** base64url */
  readonly publicKey: string
  /** base64url */
  readonly secret: string
}

/** Each user has a lane, so that their due events are sent together. */
export const PUSH_QUEUE: QueueTable = {
  table: ['holdfast', 'push_events'],
  key: { name: 'id', type: 'bigint' },
  dueAt: 'due_at',
  lease: CLAIMED_MS,
  lanes: [{ name: 'user_id', type: 'uuid' }],
  batch: EVENTS_MAX,
  columns: sql`q.user_id as "userId", q.kind, q.source_id as "sourceId", q.attempts`,
}

/** Removes events that were sent or must not be sent. */
export async function finish(pool: Pool, events: readonly Claimed[]): Promise<void> {
  await pool.execute(settleSql(PUSH_QUEUE, events, 'delete'))
}

/** Drops events unsent for a day. @returns whether any remain */
export async function prune(pool: Pool): Promise<boolean> {
  const keep = sql`${NEWS_MS}::float8 * interval '1 millisecond'`
  await pool.execute(pruneSql(PUSH_QUEUE.table, { key: 'id', at: 'created_at' }, keep, PRUNE_ROWS))
  return (await pool.query(sql`select from holdfast.push_events limit 1`)).length > 0
}

export async function listDevices(pool: Pool, userId: string): Promise<readonly PushDevice[]> {
  return pool.query<PushDevice>(sql`
    select d.id, d.session_id as "sessionId", d.endpoint, d.public_key as "publicKey", d.secret
      from holdfast.push_devices d where d.user_id = ${userId} order by d.updated_at desc`)
}

export async function forgetDevice(pool: Pool, { id }: PushDevice): Promise<void> {
  await pool.execute(sql`delete from holdfast.push_devices d where d.id = ${id}`)
}

/** Counts consecutive failures and deletes devices with too many. */
export async function noteOutcome(pool: Pool, { id }: PushDevice, isTaken: boolean): Promise<void> {
  if (isTaken)
    await pool.execute(sql`update holdfast.push_devices d set failures = 0 where d.id = ${id} and d.failures > 0`)
  else
    await pool.execute(sql`
      with failed as (
        update holdfast.push_devices d set failures = d.failures + 1 where d.id = ${id} and d.failures < ${FAILURES_MAX} returning d.id)
      delete from holdfast.push_devices d where d.id = ${id} and not exists (select from failed)`)
}
