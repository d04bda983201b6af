import { createHash } from 'node:crypto'
import { sql, type Pool, type SqlFragment } from '@holdfast/postgres'
import { type Claimed, type QueueTable, retrySql, settleSql } from '@holdfast/queue'
import { ATTEMPTS_MAX, CLAIMED_MS, RETRY_MS } from './limits.ts'

/** A mail to be sent now. */
export interface DueMail {
  readonly invitationId: string | null
  /** Attempts including this one. */
  readonly attempts: number
}

/** Content of an invitation mail. */
export interface PendingInvitation {
  readonly email: string
  readonly workspace: string
  readonly inviter: string | null
  readonly team: string | null
  readonly message: string | null
  readonly expiresAt: Date
}

/** Returns the hash the database compares. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

export const INVITATION_QUEUE: QueueTable = {
  table: ['holdfast', 'invitation_mails'],
  key: { name: 'id', type: 'bigint' },
  dueAt: 'due_at',
  lease: CLAIMED_MS,
  columns: sql`q.invitation_id as "invitationId", q.attempts`,
}

/** Renews an invitation's secret, invalidating links in earlier mails. @returns `undefined` if it is no longer pending */
export function renewSecret(pool: Pool, invitationId: string, secret: string): Promise<PendingInvitation | undefined> {
  return pool.transaction(async (tx) => {
    const [pending] = await tx.query<PendingInvitation>(sql`
      select i.email, w.name as workspace, m.name as inviter, t.name as team, i.message, i.expires_at as "expiresAt"
        from holdfast.invitations i
        join holdfast.workspaces w on w.id = i.workspace_id
        left join holdfast.members m on m.workspace_id = i.workspace_id and m.user_id = i.invited_by
        left join holdfast.teams t on t.id = i.team_id
       where i.id = ${invitationId} and i.state = 'pending' and i.expires_at > now() for update of i`)
    if (!pending) return undefined
    await tx.execute(sql`
      insert into holdfast.invitation_secrets as s (invitation_id, hash) values (${invitationId}, ${hashOf(secret)})
      on conflict (invitation_id) do update set hash = excluded.hash`)
    return pending
  })
}

/** Records the sending, for rate limits. */
export function finish(pool: Pool, mail: DueMail & Claimed, outcome: 'sent' | 'captured'): Promise<void> {
  const settle = settleSql(INVITATION_QUEUE, [mail], sql`due_at = null`)
  return settleMail(
    pool,
    settle,
    sql`
    update holdfast.invitations i set mail = ${outcome}, last_sent_at = now() where i.id = ${mail.invitationId} and i.state = 'pending'`,
  )
}

/** Schedules a retry, or gives up and records it in the invitation. */
export function noteFailure(pool: Pool, mail: DueMail & Claimed): Promise<void> {
  if (mail.attempts < ATTEMPTS_MAX) return settleMail(pool, retrySql(INVITATION_QUEUE, [mail], RETRY_MS))
  const giveUp = settleSql(INVITATION_QUEUE, [mail], sql`due_at = null`)
  return settleMail(
    pool,
    giveUp,
    sql`update holdfast.invitations i set mail = 'failed' where i.id = ${mail.invitationId}`,
  )
}

/** @param outcome - recorded in the invitation, unless another server has claimed the mail */
function settleMail(pool: Pool, settle: SqlFragment, outcome?: SqlFragment): Promise<void> {
  return pool.transaction(async (tx) => {
    const settled = await tx.query(settle)
    if (outcome && settled.length > 0) await tx.execute(outcome)
  })
}
