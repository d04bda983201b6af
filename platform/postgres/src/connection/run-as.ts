import { sql } from '../sql/sql.ts'
import type { Pool, Transaction } from './pool.ts'

/** On whose behalf statements run. */
export interface Session {
  /** The Postgres role: `anon`, `authenticated`, `service_role` or one of the project's own. */
  readonly role: string
  /** The verified claims of the token, as policies read them from `request.jwt.claims`. */
  readonly claims: Readonly<Record<string, unknown>>
  /** More settings of the transaction, such as `request.method`. */
  readonly settings?: Readonly<Record<string, string>>
}

/**
 * Puts the role and the claims of `session` on an open transaction, so that row-level security applies to every statement after it.
 * The settings are local to the transaction: the pooled connection goes back clean.
 */
export async function assumeSession(tx: Transaction, session: Session): Promise<void> {
  const names = ['request.jwt.claims', ...Object.keys(session.settings ?? {}), 'role']
  const values = [JSON.stringify(session.claims), ...Object.values(session.settings ?? {}), session.role]
  await tx.query(sql`
    select set_config(setting.name, setting.value, true)
      from unnest(${names}::text[], ${values}::text[]) with ordinality as setting (name, value, position)
     order by setting.position
  `)
}

/**
 * Runs `body` in one transaction as the role of the request. Every statement on behalf of a person goes through here, on a pool
 * that is connected as `authenticator`, never as a superuser.
 */
export async function runAs<T>(pool: Pool, session: Session, body: (tx: Transaction) => Promise<T>): Promise<T> {
  return pool.transaction(async (tx) => {
    await assumeSession(tx, session)
    return body(tx)
  })
}
