import { randomUUID } from 'node:crypto'
import { type Queryable, sql } from '@holdfast/postgres'
import type { UserRow } from './users/user-row.ts'

const LOG_TYPES = {
  login: 'account',
  logout: 'account',
  user_signedup: 'team',
  user_repeated_signup: 'user',
  user_modified: 'user',
  user_updated_password: 'user',
  token_revoked: 'token',
} as const

export type AuditAction = keyof typeof LOG_TYPES

/**
 * Records what somebody did, in GoTrue's form. Refreshes are not recorded: they are hourly, for every device, and say nothing.
 *
 * @param entry.now - ISO 8601
 */
export async function recordAudit(
  db: Queryable,
  entry: {
    readonly action: AuditAction
    readonly actor: Pick<UserRow, 'id' | 'email' | 'phone' | 'is_sso_user'>
    readonly address: string
    readonly now: string
    readonly traits?: Readonly<Record<string, unknown>>
  },
): Promise<void> {
  const { actor, action } = entry
  const payload = {
    actor_id: actor.id,
    actor_via_sso: actor.is_sso_user,
    actor_username: actor.phone || actor.email || '',
    action,
    log_type: LOG_TYPES[action],
    ...(entry.traits ? { traits: entry.traits } : {}),
  }
  await db.execute(sql`
    insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
    values ('00000000-0000-0000-0000-000000000000', ${randomUUID()}, ${JSON.stringify(payload)}::json, ${entry.now}, ${entry.address})
  `)
}
