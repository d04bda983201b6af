import { sql, type Pool, type SqlFragment } from '@holdfast/postgres'
import { type Claimed, type QueueTable, settleSql } from '@holdfast/queue'
import { ATTEMPTS_MAX, CLAIMED_MS, PEOPLE_PER_LOOK_MAX } from './limits.ts'

/** A user whose morning has begun. */
export interface DuePerson {
  readonly userId: string
  readonly email: string
  /** The workspace's. */
  readonly timeZone: string
  /** The user's choice, otherwise the workspace's. */
  readonly language: string
  readonly workspace: string
  /** Local date, `YYYY-MM-DD`. */
  readonly day: string
  /** When the last non-empty mail was written. */
  readonly since: Date | null
}

/** SQL for users due for a mail today, by the time zone of their first workspace. @param whose - a condition on `m`, a membership */
const placesSql = (whose: SqlFragment): SqlFragment => sql`
  select p.*, coalesce(s.language, p.workspace_language) as language, u.email::text as email
    from (
      select distinct on (m.user_id) m.user_id, w.name, w.language as workspace_language, w.time_zone,
             clock_timestamp() at time zone w.time_zone as there
        from holdfast.members m join holdfast.workspaces w on w.id = m.workspace_id
       where m.status = 'active' and (m.expires_at is null or m.expires_at > now()) and ${whose}
       order by m.user_id, w.created_at, w.id) p
    join auth.users u on u.id = p.user_id
    left join holdfast.mail_settings s on s.user_id = p.user_id
   where coalesce(s.daily_mail, true)
     and u.email <> '' and u.email_confirmed_at is not null and u.deleted_at is null and not u.is_anonymous
     and (u.banned_until is null or u.banned_until < now())`

/** Each user has a row for the latest day begun. Failed reads are retried a few times that day. */
export const DIGEST_QUEUE: QueueTable = {
  table: ['holdfast', 'daily_mails'],
  key: { name: 'user_id', type: 'uuid' },
  dueAt: 'due_at',
  lease: CLAIMED_MS,
  isWaiting: sql`(not q.is_done and q.attempts < ${ATTEMPTS_MAX})`,
  columns: sql`q.day, q.mailed_at`,
  // Users who have unsubscribed or left are claimed but get no mail.
  extendClaim: (claims) => sql`
    with claimed as (${claims})
    select claimed.id, claimed.fence, claimed.lane, claimed.id as "userId", claimed.day::text as day, claimed.mailed_at as since,
           places.email, places.time_zone as "timeZone", places.language, places.name as workspace
      from claimed join (${placesSql(sql`m.user_id in (select id::uuid from claimed)`)}) places
        on places.user_id = claimed.id::uuid and places.there::date = claimed.day`,
}

/**
 * Begins the day for users who have not had today's mail. Only one of several servers does so.
 *
 * @param pool - connected as the project's role
 * @param hour - from which mails are sent
 */
export async function beginDay(pool: Pool, hour: number): Promise<void> {
  await pool.execute(sql`
    insert into holdfast.daily_mails as d (user_id, day, attempts, due_at)
    select places.user_id, places.there::date, 0, statement_timestamp()
      from (${placesSql(sql`true`)}) places
      left join holdfast.daily_mails last using (user_id)
     where extract(hour from places.there) >= ${hour} and (last.user_id is null or last.day < places.there::date)
     order by places.user_id limit ${PEOPLE_PER_LOOK_MAX}
    on conflict (user_id) do update set day = excluded.day, attempts = 0, due_at = excluded.due_at, is_done = false
     where d.day < excluded.day`)
}

/** Ends a user's day before the mail is written, because a lost mail is better than a duplicate. @returns whether this call ended it */
export async function finishDay(pool: Pool, person: Claimed, isMailed: boolean): Promise<boolean> {
  const mailedAt = sql`mailed_at = case when ${isMailed} then now() else q.mailed_at end`
  const done = await pool.query(settleSql(DIGEST_QUEUE, [person], sql`is_done = true, ${mailedAt}`, sql`not q.is_done`))
  return done.length > 0
}

/** Unsubscribes a user from the daily mail. @param pool - connected as the project's role */
export async function turnOff(pool: Pool, userId: string): Promise<void> {
  await pool.execute(sql`
    insert into holdfast.mail_settings as s (user_id, daily_mail)
    select u.id, false from auth.users u where u.id = ${userId}
    on conflict (user_id) do update set daily_mail = false, updated_at = now()`)
}

/**
 * @param pool - connected as the superuser or the configured user
 * @returns the number of the user's changes rejected since then
 */
export async function countRefused(pool: Pool, userId: string, since: Date): Promise<number> {
  const [row] = await pool.query<{ count: number }>(sql`
    select count(*)::integer as count from sync.uploads u
     where u.user_id = ${userId} and u.status = 'refused' and u.judged_at > ${since.toISOString()}`)
  return row?.count ?? 0
}
