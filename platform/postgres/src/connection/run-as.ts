import type { PipelineStep } from '../pipeline/pipeline.ts'
import { TEXT_SETTINGS } from './own-settings.ts'
import type { Connections, Transaction } from './pool.ts'

/**
 * Prefix of the WAL message that identifies the author of a transaction, written before anything else. Only a transaction's first message counts, because SQL
 * may also write messages.
 */
export const AUTHOR_PREFIX = 'holdfast:author'

/** Identity under which statements run. */
export interface Session {
  /** The Postgres role: `anon`, `authenticated`, `service_role` or a project role. */
  readonly role: string
  /** Verified token claims, which policies read from `request.jwt.claims`. */
  readonly claims: Readonly<Record<string, unknown>>
  /** Further settings of the transaction, such as `request.method`. */
  readonly settings?: Readonly<Record<string, string>>
}

/** Prepared once per connection, because every request starts with it. The role is last, because it may lack the right to set the others. */
const ASSUME = {
  name: 'holdfast_assume_session',
  text: `
    select pg_catalog.set_config(setting.name, setting.value, true)
      from unnest($1::text[], $2::text[]) with ordinality as setting (name, value, position)
     order by setting.position`,
}

/**
 * Sets role and claims on an open transaction, so that row-level security applies to all further statements. Also sets the text format, overriding role and
 * database settings. Everything is local to the transaction.
 */
export async function assumeSession(tx: Transaction, session: Session): Promise<void> {
  await tx.client.query({ ...ASSUME, values: assumed(tx, session) })
}

/** As {@link assumeSession}, as a pipeline step. */
export function assumeStep(tx: Pick<Transaction, 'roleSettings'>, session: Session): PipelineStep {
  return { text: ASSUME.text, key: ASSUME.name, values: assumed(tx, session) }
}

/** Names and values for {@link ASSUME}. */
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

/** Runs `body` in one transaction as the request's role. All user statements go through here, on a pool connected as `authenticator`, never as a superuser. */
export async function runAs<T>(pool: Connections, session: Session, body: (tx: Transaction) => Promise<T>): Promise<T> {
  return pool.transaction(async (tx) => {
    await assumeSession(tx, session)
    return body(tx)
  })
}

/** Returns the author of changes: the user, or the role of anonymous requests. `null`: the project itself, by its service key. */
export function authorOf({ role, claims }: Pick<Session, 'role' | 'claims'>): string | null {
  if (role === 'service_role') return null
  const { sub } = claims
  // Postgres texts cannot contain NUL.
  return typeof sub === 'string' && sub !== '' ? sub.replaceAll('\0', '') : `role ${role}`
}
