import type { Clock } from '@holdfast/foundation'
import { type Queryable, sql, type SqlFragment } from '@holdfast/postgres'
import { type Claimed, type QueueTable, settleSql } from '@holdfast/queue'
import type { HookPayload } from '../hooks/hooks.ts'
import {
  CAPTURED_BYTES_MAX,
  CAPTURED_MESSAGES_MAX,
  MESSAGE_DAYS_MAX,
  MESSAGE_LEASE_MS,
  MESSAGES_PER_PAGE_MAX,
} from '../limits.ts'
import type { MessageReader, MessageRow, SmsChannel } from './messages.ts'

export type MessageChannel = MessageRow['channel']

export interface NewMessage {
  /** Default: a new one. A message with the id of another is not stored. */
  readonly id?: string
  readonly channel: MessageChannel
  readonly kind: string
  /** `undefined` for a recipient without an account. */
  readonly userId: string | undefined
  readonly recipient: string
  readonly subject?: string
  readonly html?: string
  /** Plain text. */
  readonly body: string
  readonly variables: object
  readonly status: 'captured' | 'queued'
  /** ISO 8601. */
  readonly now: string
}

export async function insertMessage(db: Queryable, message: NewMessage): Promise<void> {
  const { now, status } = message
  await db.execute(sql`
    insert into auth.messages
      (id, channel, kind, user_id, recipient, subject, html, body, variables, status, next_attempt_at, created_at)
    values (
      coalesce(${message.id ?? null}::uuid, gen_random_uuid()), ${message.channel}, ${message.kind}, ${message.userId ?? null}, ${message.recipient}, ${message.subject ?? ''},
      ${message.html ?? ''}, ${message.body}, ${JSON.stringify(message.variables)}::jsonb, ${status},
      ${status === 'queued' ? now : null}, ${now}
    )
    on conflict (id) do nothing
  `)
}

/** A message claimed by this process for sending. */
export interface DueMessage {
  readonly id: string
  readonly channel: MessageChannel
  readonly recipient: string
  readonly subject: string
  readonly html: string
  readonly body: string
  /** The code in the message, so that it can be removed afterwards. */
  readonly code: string | null
  /** Requested channel of a text message. */
  readonly sms_channel: SmsChannel | null
  /** One-click unsubscribe URL of a recurring mail. */
  readonly list_unsubscribe: string | null
  /** Payload of the `send_email` hook, if one was configured when the message was written. */
  readonly hook_payload: HookPayload | null
  /** Including the current one. */
  readonly attempts: number
  readonly created_at: Date
}

/** Returns the queue of one channel. Channels are separate so that a stalled mail server does not delay text messages. */
export function messageQueue(channel: MessageChannel, clock: Clock): QueueTable {
  return {
    table: ['auth', 'messages'],
    key: { name: 'id', type: 'uuid' },
    dueAt: 'next_attempt_at',
    lease: MESSAGE_LEASE_MS,
    isWaiting: sql`q.status = 'queued' and q.channel = ${channel}`,
    order: sql`q.next_attempt_at`,
    columns: sql`q.channel, q.recipient, q.subject, q.html, q.body, q.attempts, q.created_at,
      coalesce(q.variables ->> 'token', q.variables ->> 'code') as code, q.variables ->> 'channel' as sms_channel,
      q.variables ->> 'listUnsubscribe' as list_unsubscribe, q.variables -> 'hook' as hook_payload`,
    now: () => sql`${new Date(clock.now()).toISOString()}::timestamptz`,
  }
}

/**
 * Records the outcome of a message and removes its code and link, so that the table reveals no secrets later.
 *
 * @param input.error - why sending was given up; `undefined` for a sent message
 * @param input.now - ISO 8601
 */
export function finishMessageSql(
  queue: QueueTable,
  input: { readonly message: DueMessage & Claimed; readonly error: string | undefined; readonly now: string },
): SqlFragment {
  const { message, error, now } = input
  const subject = message.code ? message.subject.replaceAll(message.code, '…') : message.subject
  return settleSql(
    queue,
    [message],
    sql`status = ${error === undefined ? 'sent' : 'failed'}, sent_at = ${error === undefined ? now : null}::timestamptz,
        last_error = ${error ?? null}, next_attempt_at = null, subject = ${subject}, html = '', body = '', variables = '{}'`,
  )
}

/** Deletes messages older than a week, and captured messages beyond the limits on number and size. */
export async function deleteOldMessages(db: Queryable, nowMs: number): Promise<number> {
  const oldest = new Date(nowMs - MESSAGE_DAYS_MAX * 24 * 3600 * 1000).toISOString()
  return db.execute(sql`
    delete from auth.messages
     where created_at < ${oldest}
        or id in (
          select id from (
            select id, row_number() over newest as place,
                   sum(octet_length(html) + octet_length(body) + pg_column_size(variables)) over newest as bytes
              from auth.messages where status = 'captured'
            window newest as (order by created_at desc, id rows unbounded preceding)
          ) as captured
           where place > ${CAPTURED_MESSAGES_MAX} or bytes > ${CAPTURED_BYTES_MAX}
        )
  `)
}

const COLUMNS = sql`
  id, channel, kind, user_id, recipient, subject, html, body, variables, status, attempts, last_error, created_at, sent_at
`

/** What became of a mail. */
export interface MailState {
  readonly id: string
  readonly status: MessageRow['status']
  /** Of the last attempt. */
  readonly error: string | null
}

/** Reads what became of mails. Those that are no longer kept are absent. */
export function readMailStates(db: Queryable, ids: readonly string[]): Promise<readonly MailState[]> {
  return db.query<MailState>(
    sql`select id, status, last_error as error from auth.messages where id = any (${ids}::uuid[])`,
  )
}

/** Newest first. */
export const readMessages: MessageReader = (db, filter) => {
  const { recipient, limit } = filter
  const whose = recipient === undefined ? sql`true` : sql`recipient = ${recipient}`
  return db.query<MessageRow>(sql`
    select ${COLUMNS} from auth.messages where ${whose}
     order by created_at desc, id limit ${Math.min(limit, MESSAGES_PER_PAGE_MAX)}
  `)
}

export async function findMessage(db: Queryable, id: string): Promise<MessageRow | undefined> {
  const [message] = await db.query<MessageRow>(sql`select ${COLUMNS} from auth.messages where id = ${id}`)
  return message
}

/** Empties the mailbox of one recipient or of all, but keeps queued messages. */
export async function deleteMessages(db: Queryable, recipient: string | undefined): Promise<number> {
  const whose = recipient === undefined ? sql`true` : sql`recipient = ${recipient}`
  return db.execute(sql`delete from auth.messages where status <> 'queued' and ${whose}`)
}
