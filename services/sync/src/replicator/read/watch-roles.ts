import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import { EVALUATOR_ROLE, READER_ROLE, REQUEST_ROLE, sql, type Pool, type Queryable } from '@holdfast/postgres'
import { DDL_PREFIX } from './schema-barrier.ts'

/** How often to look, in milliseconds. */
const POLL_MS = 2_000

/**
 * Roles belong to the whole cluster, and no event trigger tells of them: `alter role … set`, `alter role … bypassrls`, `grant role to role`. So what
 * policies depend on of them is looked at now and then, and a change is announced as those of the schema are.
 *
 * Other projects come and go on a shared server. So only roles count that the request role can become, or that own something or are named by a grant or policy in
 * this database, with the roles that they are members of; and only settings that hold in this database.
 */
export function watchRoles(pool: Pool, logger: Logger): Disposable {
  const stopping = new AbortController()

  async function watch(): Promise<void> {
    let known: string | undefined
    while (!stopping.signal.aborted) {
      try {
        const now = await readRolesVersion(pool)
        if (known !== undefined && now !== known) {
          await pool.query(sql`
            select pg_notify('holdfast_catalog', 'changed'), pg_logical_emit_message(true, ${DDL_PREFIX}, 'roles')
          `)
        }
        known = now
      } catch (error) {
        logger.log('debug', 'roles could not be looked at', { reason: errorMessage(error) })
      }
      await delay(POLL_MS, stopping.signal).catch(() => undefined) // stopping ends the loop
    }
  }

  void watch()
  return {
    [Symbol.dispose]: () => stopping.abort(new Error('the watch was closed')),
  }
}

/** Changes whenever something of roles does that policies of this database may depend on. */
export async function readRolesVersion(db: Queryable): Promise<string> {
  const [row] = await db.query<{ roles: string }>(sql`
    with recursive here (oid) as (select oid from pg_catalog.pg_database where datname = current_database()),
    concerned (oid) as (
      select oid from pg_catalog.pg_roles where rolname = any(${[REQUEST_ROLE, READER_ROLE, EVALUATOR_ROLE]}::text[])
      union
      select d.refobjid from pg_catalog.pg_shdepend d, here
       where d.dbid = here.oid and d.refclassid = 'pg_catalog.pg_authid'::regclass
      union
      select m.roleid from pg_catalog.pg_auth_members m join concerned c on c.oid = m.member
    )
    select md5(concat(
      (select string_agg(concat_ws(' ', r.oid, r.rolname, r.rolsuper, r.rolinherit, r.rolbypassrls), ',' order by r.oid)
         from pg_catalog.pg_roles r join concerned c on c.oid = r.oid),
      '/', (select string_agg(concat_ws(' ', m.roleid, m.member, to_jsonb(m) ->> 'inherit_option', to_jsonb(m) ->> 'set_option'), ',' order by m.roleid, m.member)
              from pg_catalog.pg_auth_members m join concerned c on c.oid = m.member),
      '/', (select string_agg(concat_ws(' ', s.setdatabase, s.setrole, s.setconfig), ',' order by s.setdatabase, s.setrole)
              from pg_catalog.pg_db_role_setting s, here
             where s.setdatabase in (0, here.oid) and (s.setrole = 0 or s.setrole in (select oid from concerned))))) as roles
  `)
  return row?.roles ?? ''
}
