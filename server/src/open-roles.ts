import type { Logger } from '@holdfast/foundation'
import {
  AUTH_ROLE,
  EVALUATOR_ROLE,
  openRequestRole,
  READER_ROLE,
  roleUrl,
  sql,
  withOwnSettings,
  type Cluster,
  type Pool,
} from '@holdfast/postgres'

/** URLs of the roles that run user requests, read tables, evaluate user expressions, and maintain accounts. All but the first have our own settings. */
export interface RoleUrls {
  readonly requestUrl: string
  readonly readerUrl: string
  readonly evaluatorUrl: string
  /** The accounts service: not a superuser in the embedded cluster; the configured user elsewhere. */
  readonly authUrl: string
}

/**
 * Sets the passwords of the roles used by requests, the reader, the evaluator and the accounts service.
 * A configured user who is not a superuser may be unable to grant `holdfast_reader` its privileges. Then that user reads the tables.
 */
export async function openRoles(pool: Pool, cluster: Cluster, logger: Logger): Promise<RoleUrls> {
  const isEmbedded = cluster.kind === 'embedded'
  const requestUrl = await openRequestRole(
    pool,
    cluster,
    (url) => [READER_ROLE, EVALUATOR_ROLE, ...(isEmbedded ? [AUTH_ROLE] : [])].map((role) => roleUrl(url, role)),
    logger,
  )
  const own = (url: string): string => withOwnSettings(url, cluster.serverVersion)
  const internalUrl = own(cluster.internalUrl)
  const readerUrl = own(roleUrl(requestUrl, READER_ROLE))
  const evaluatorUrl = own(roleUrl(requestUrl, EVALUATOR_ROLE))
  const authUrl = isEmbedded ? own(roleUrl(requestUrl, AUTH_ROLE)) : internalUrl
  const [rights] = await pool.query<{ reads: boolean; superuser: boolean }>(sql`
    select r.rolbypassrls and pg_catalog.pg_has_role(r.oid, 'pg_read_all_data', 'usage') as reads,
           (select u.rolsuper from pg_catalog.pg_roles u where u.rolname = current_user) as superuser
      from pg_catalog.pg_roles r where r.rolname = ${READER_ROLE}`)
  if (rights?.reads || rights?.superuser) return { requestUrl, readerUrl, evaluatorUrl, authUrl }
  logger.log('warn', `${READER_ROLE} may not read all tables, so the user of DATABASE_URL reads them`, {
    hint: `As a superuser: grant pg_read_all_data to ${READER_ROLE}; alter role ${READER_ROLE} bypassrls`,
  })
  return { requestUrl, readerUrl: internalUrl, evaluatorUrl, authUrl }
}
