import type { PipelineStep } from '../pipeline/pipeline.ts'
import { TEXT_SETTINGS } from './own-settings.ts'
import type { Connections, Transaction } from './pool.ts'

/** On whose behalf statements run. */
export interface Session {
  /** The Postgres role: `anon`, `authenticated`, `service_role` or one of the project's own. */
  readonly role: string
  /** The verified claims of the token, as policies read them from `request.jwt.claims`. */
  readonly claims: Readonly<Record<string, unknown>>
  /** More settings of the transaction, such as `request.method`. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Prepared once per connection: every request begins with it. The role comes last, as it may not be allowed to set the others. */
const ASSUME = {
  name: 'holdfast_assume_session',
  text: `
    select pg_catalog.set_config(setting.name, setting.value, true)
      from unnest($1::text[], $2::text[]) with ordinality as setting (name, value, position)
     order by setting.position`,
}

/**
 * Puts the role and the claims of `session` on an open transaction, so that row-level security applies to every statement after it.
 * Values print as our code reads them, whatever the role or the database sets. The settings are local to the transaction: the pooled connection goes back clean.
 */
export async function assumeSession(tx: Transaction, session: Session): Promise<void> {
  await tx.client.query({ ...ASSUME, values: assumed(tx, session) })
}

/** The same as a step of a pipeline on the connection of `tx`. */
export function assumeStep(tx: Pick<Transaction, 'roleSettings'>, session: Session): PipelineStep {
  return { text: ASSUME.text, key: ASSUME.name, values: assumed(tx, session) }
}

/** Names and values of {@link ASSUME}. */
function assumed(tx: Pick<Transaction, 'roleSettings'>, session: Session): [names: string[], values: string[]] {
  const settings = {
    ...tx.roleSettings?.(session.role),
    ...TEXT_SETTINGS,
    ...session.settings,
    'request.jwt.claims': JSON.stringify(session.claims),
  }
  return [
    [...Object.keys(settings), 'role'],
    [...Object.values(settings), session.role],
  ]
}

/**
 * Runs `body` in one transaction as the role of the request. Every statement on behalf of a person goes through here, on a pool
 * that is connected as `authenticator`, never as a superuser.
 */
export async function runAs<T>(pool: Connections, session: Session, body: (tx: Transaction) => Promise<T>): Promise<T> {
  return pool.transaction(async (tx) => {
    await assumeSession(tx, session)
    return body(tx)
  })
}
