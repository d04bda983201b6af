import { createHash } from 'node:crypto'
import { sql, type Pool } from '@holdfast/postgres'
import { ATTEMPTS_MAX, CLAIMED_MS, MAILS_PER_TURN, RETRY_MS } from './limits.ts'

/** A mail that is to be written now. */
export interface DueMail {
  readonly id: string
  readonly invitationId: string | null
  /** How often it has been tried, this time included. */
  readonly attempts: number
}

/** What a mail of an invitation says. */
export interface PendingInvitation {
  readonly email: string
  readonly workspace: string
  readonly inviter: string | null
  readonly team: string | null
  readonly message: string | null
  readonly expiresAt: Date
}

/** As the database compares secrets. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** Takes mails that are due. Another server leaves them alone until they could not be under way any more. @param pool - as the project */
export function claim(pool: Pool): Promise<readonly DueMail[]> {
  return pool.query<DueMail>(sql`
    with due as (
      select m.id from holdfast.invitation_mails m where m.due_at <= clock_timestamp()
       order by m.due_at limit ${MAILS_PER_TURN} for update skip locked)
    update holdfast.invitation_mails m
       set attempts = m.attempts + 1, due_at = clock_timestamp() + ${CLAIMED_MS} * interval '1 millisecond'
      from due where m.id = due.id
    returning m.id::text as id, m.invitation_id as "invitationId", m.attempts`)
}

/** Gives an invitation a new secret; links of mails before lead nowhere. @returns `undefined` for one that is no longer pending */
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

/** Keeps that it was sent, for the bounds. */
export async function finish(pool: Pool, mail: DueMail): Promise<void> {
  await pool.transaction(async (tx) => {
    await tx.execute(sql`update holdfast.invitation_mails m set due_at = null where m.id = ${mail.id}`)
    await tx.execute(sql`
      update holdfast.invitations i set mail = 'sent', last_sent_at = now() where i.id = ${mail.invitationId} and i.state = 'pending'`)
  })
}

/** Tries it again later, or gives it up and says so. */
export async function noteFailure(pool: Pool, mail: DueMail): Promise<void> {
  const isLast = mail.attempts >= ATTEMPTS_MAX
  await pool.transaction(async (tx) => {
    await tx.execute(sql`
      update holdfast.invitation_mails m
         set due_at = case when ${isLast} then null else clock_timestamp() + ${RETRY_MS} * interval '1 millisecond' end where m.id = ${mail.id}`)
    if (isLast)
      await tx.execute(sql`update holdfast.invitations i set mail = 'failed' where i.id = ${mail.invitationId}`)
  })
}

/** @returns whether something waits for its time */
export async function hasWaiting(pool: Pool): Promise<boolean> {
  return (await pool.query(sql`select from holdfast.invitation_mails m where m.due_at is not null limit 1`)).length > 0
}
