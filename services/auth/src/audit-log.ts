import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from '@holdfast/foundation'
import { type Queryable, sql } from '@holdfast/postgres'
import type { UserRow } from './users/user-row.ts'

/** GoTrue's actions and their log types. */
const LOG_TYPES = {
  login: 'account',
  logout: 'account',
  invite_accepted: 'account',
  user_signedup: 'team',
  user_invited: 'team',
  user_deleted: 'team',
  user_modified: 'user',
  user_recovery_requested: 'user',
  user_reauthenticate_requested: 'user',
  user_confirmation_requested: 'user',
  user_repeated_signup: 'user',
  user_updated_password: 'user',
  token_revoked: 'token',
  token_refreshed: 'token',
  factor_in_progress: 'factor',
  factor_unenrolled: 'factor',
  challenge_created: 'factor',
  verification_attempted: 'factor',
  factor_deleted: 'factor',
  factor_updated: 'factor',
  identity_linked: 'user',
  identity_unlinked: 'user',
  passkey_created: 'user',
  passkey_updated: 'user',
  passkey_deleted: 'user',
} as const

export type AuditAction = keyof typeof LOG_TYPES

/** Who acted: a user, or an administrator (`admin/require-admin.ts`). */
export type AuditActor = Pick<UserRow, 'id' | 'email' | 'phone' | 'is_sso_user'> &
  Partial<Pick<UserRow, 'raw_user_meta_data'>>

/** An action of the request being handled. */
interface AuditEvent {
  readonly action: AuditAction
  /** Whom it is about. */
  readonly userId: string
}

/** Actions of the current request, so that the many that record them need not hand the request down. */
const current = new AsyncLocalStorage<AuditEvent[]>()

/** Logs the actions of each successful request, under its id. */
export function logAuditEvents(app: FastifyInstance, logger: Logger): void {
  const byRequest = new WeakMap<FastifyRequest, readonly AuditEvent[]>()
  app.addHook('preHandler', (request, _reply, done) => {
    const events: AuditEvent[] = []
    byRequest.set(request, events)
    current.run(events, done)
  })
  app.addHook('onResponse', async (request, reply) => {
    // Of a refused request, the transaction was mostly rolled back.
    if (reply.statusCode >= 400) return
    for (const { action, userId } of byRequest.get(request) ?? [])
      logger.log('info', action.replaceAll('_', ' '), { requestId: request.id, userId })
  })
}

/**
 * Records a user's action in GoTrue's format. Refreshes are not recorded, because every device does one hourly.
 *
 * @param entry.now - ISO 8601
 */
export async function recordAudit(
  db: Queryable,
  entry: {
    readonly action: AuditAction
    readonly actor: AuditActor
    readonly address: string
    readonly now: string
    readonly traits?: Readonly<Record<string, unknown>>
  },
): Promise<void> {
  const { actor, action } = entry
  // An administrator acts on the user in the traits.
  const subject = entry.traits?.['user_id']
  current.getStore()?.push({ action, userId: typeof subject === 'string' ? subject : actor.id })
  const name = actor.raw_user_meta_data?.['full_name']
  const payload = {
    actor_id: actor.id,
    actor_via_sso: actor.is_sso_user,
    actor_username: actor.phone || actor.email || '',
    ...(name === undefined ? {} : { actor_name: name }),
    action,
    log_type: LOG_TYPES[action],
    ...(entry.traits ? { traits: entry.traits } : {}),
  }
  await db.execute(sql`
    insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
    values ('00000000-0000-0000-0000-000000000000', ${randomUUID()}, ${JSON.stringify(payload)}::json, ${entry.now}, ${entry.address})
  `)
}
