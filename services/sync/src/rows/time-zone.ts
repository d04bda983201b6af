import { sql, type Pool } from '@holdfast/postgres'
import { TIME_ZONE_KEPT_MS } from '../limits.ts'

/** @returns a function that reads the time zone of user sessions, so that policies comparing days with the clock use users' days */
export function createTimeZone(admin: Pool): () => Promise<string> {
  let known: { readonly zone: string; readonly untilMs: number } | undefined
  return async () => {
    if (known && performance.now() < known.untilMs) return known.zone
    // Settings of the `authenticated` and `authenticator` roles take precedence over those of the database.
    const [row] = await admin.query<{ zone: string }>(sql`
      select coalesce((
        select substring(c.setting from '=(.*)$')
          from pg_catalog.pg_db_role_setting s
          join pg_catalog.pg_roles r on r.oid = s.setrole and r.rolname in ('authenticated', 'authenticator')
         cross join unnest(s.setconfig) c (setting)
         where c.setting ilike 'timezone=%'
           and s.setdatabase in (0, (select d.oid from pg_catalog.pg_database d where d.datname = current_database()))
         order by r.rolname, s.setdatabase desc limit 1), current_setting('TimeZone')) as zone`)
    known = { zone: row?.zone ?? 'UTC', untilMs: performance.now() + TIME_ZONE_KEPT_MS }
    return known.zone
  }
}
