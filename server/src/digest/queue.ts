import { sql, type Pool } from '@holdfast/postgres'
import { ATTEMPTS_MAX, CLAIMED_MS, PEOPLE_PER_LOOK_MAX } from './limits.ts'

/** A person whose morning has come. */
export interface DuePerson {
  readonly userId: string
  readonly email: string
  /** Of the workspace. */
  readonly timeZone: string
  /** As the person has chosen, else the workspace. */
  readonly language: string
  readonly workspace: string
  /** The day that it is there, `YYYY-MM-DD`. */
  readonly day: string
  /** When the last mail was written that said something. */
  readonly since: Date | null
}

/**
 * Takes people who have not had their mail today, by the clocks of the first workspace that they are in. Another server leaves them alone; what could not be read is tried
 * again a few times on the same day.
 *
 * @param pool - as the project
 * @param hour - from which mails are written
 */
export async function claimPeople(pool: Pool, hour: number): Promise<readonly DuePerson[]> {
  return pool.query<DuePerson>(sql`
    with places as (
      select distinct on (m.user_id) m.user_id, w.name, w.language, w.time_zone, clock_timestamp() at time zone w.time_zone as there
        from holdfast.members m join holdfast.workspaces w on w.id = m.workspace_id
       where m.status = 'active' and (m.expires_at is null or m.expires_at > now())
       order by m.user_id, w.created_at, w.id),
    due as (
      select p.user_id, p.name, p.time_zone, p.there::date as day, u.email::text as email, coalesce(s.language, p.language) as language
        from places p
        join auth.users u on u.id = p.user_id
        left join holdfast.mail_settings s on s.user_id = p.user_id
        left join holdfast.daily_mails d on d.user_id = p.user_id
       where extract(hour from p.there) >= ${hour} and coalesce(s.daily_mail, true)
         and u.email <> '' and u.email_confirmed_at is not null and u.deleted_at is null and not u.is_anonymous
         and (u.banned_until is null or u.banned_until < now())
         and (d.user_id is null or d.day < p.there::date
              or (d.day = p.there::date and not d.is_done and d.due_at <= clock_timestamp() and d.attempts < ${ATTEMPTS_MAX}))
       order by p.user_id limit ${PEOPLE_PER_LOOK_MAX}),
    claimed as (
      insert into holdfast.daily_mails as d (user_id, day, due_at)
      select due.user_id, due.day, clock_timestamp() + ${CLAIMED_MS} * interval '1 millisecond' from due
      on conflict (user_id) do update
         set day = excluded.day, due_at = excluded.due_at, is_done = false,
             attempts = case when d.day = excluded.day then d.attempts + 1 else 1 end
       where d.day < excluded.day or (d.day = excluded.day and not d.is_done and d.due_at <= clock_timestamp())
      returning d.user_id, d.mailed_at)
    select due.user_id as "userId", due.email, due.time_zone as "timeZone", due.language, due.name as workspace, due.day::text as day,
           claimed.mailed_at as since
      from claimed join due using (user_id)`)
}

/** The day is over for a person. Before the mail is written: one that is lost does no harm, two do. @returns whether nobody has ended it before */
export async function finishDay(pool: Pool, { userId, day }: DuePerson, isMailed: boolean): Promise<boolean> {
  const done = await pool.query(sql`
    update holdfast.daily_mails d set is_done = true, mailed_at = case when ${isMailed} then now() else d.mailed_at end
     where d.user_id = ${userId} and d.day = ${day}::date and not d.is_done returning d.user_id`)
  return done.length > 0
}

/** Ends the daily mail for a person. @param pool - as the project */
export async function turnOff(pool: Pool, userId: string): Promise<void> {
  await pool.execute(sql`
    insert into holdfast.mail_settings as s (user_id, daily_mail)
    select u.id, false from auth.users u where u.id = ${userId}
    on conflict (user_id) do update set daily_mail = false, updated_at = now()`)
}

/**
 * @param pool - as the superuser, or as the configured user
 * @returns how many changes of the person the server did not accept since then
 */
export async function countRefused(pool: Pool, userId: string, since: Date): Promise<number> {
  const [row] = await pool.query<{ count: number }>(sql`
    select count(*)::integer as count from sync.uploads u
     where u.user_id = ${userId} and u.status = 'refused' and u.judged_at > ${since.toISOString()}`)
  return row?.count ?? 0
}
