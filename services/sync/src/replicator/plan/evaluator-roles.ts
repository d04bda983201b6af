import { errorMessage, type Logger } from '@holdfast/foundation'
import type { SyncPlan } from '@holdfast/policy'
import { EVALUATOR_ROLE, isConnectionLoss, sql, type Pool } from '@holdfast/postgres'

/**
 * Lets the evaluator call the functions granted to the API roles of a plan, because policies for a project's own role may use them. The evaluator inherits
 * their privileges but cannot assume the roles. Where granting is not allowed, rows whose policies need such a function do not sync; each such role is logged.
 */
export async function ensureEvaluatorRoles(pool: Pool, plan: SyncPlan, logger: Logger): Promise<void> {
  const roles = new Set(plan.tables.flatMap((table) => table.definitions.flatMap((definition) => definition.roles)))
  const missing = await pool.query<{ name: string; version: number }>(sql`
    select r.rolname as name, current_setting('server_version_num')::int as version
      from pg_catalog.pg_roles r, pg_catalog.pg_roles e
     where r.rolname = any(${[...roles]}::text[]) and not r.rolsuper and e.rolname = ${EVALUATOR_ROLE}
       and not exists (select from pg_catalog.pg_auth_members m where m.roleid = r.oid and m.member = e.oid)`)
  for (const { name, version } of missing) {
    const options = version >= 160_000 ? sql` with inherit true, set false` : sql``
    try {
      await pool.execute(sql`grant ${sql.identifier(name)} to ${sql.identifier(EVALUATOR_ROLE)}${options}`)
    } catch (error) {
      if (isConnectionLoss(error)) throw error
      logger.log('warn', `${EVALUATOR_ROLE} cannot be given the rights of a role of the API`, {
        role: name,
        reason: errorMessage(error),
      })
    }
  }
}
