import { type Queryable, sql } from '@holdfast/postgres'
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
  readonly channel: MessageChannel
  readonly kind: string
  /** `undefined` for whoever has no account. */
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
      (channel, kind, user_id, recipient, subject, html, body, variables, status, next_attempt_at, created_at)
    values (
      ${message.channel}, ${message.kind}, ${message.userId ?? null}, ${message.recipient}, ${message.subject ?? ''},
      ${message.html ?? ''}, ${message.body}, ${JSON.stringify(message.variables)}::jsonb, ${status},
      ${status === 'queued' ? now : null}, ${now}
    )
  `)
}

/** A message that this process is to send now. */
export interface DueMessage {
  readonly id: string
  readonly channel: MessageChannel
  readonly recipient: string
  readonly subject: string
  readonly html: string
  readonly body: string
  /** The code in it, so that none is left behind. */
  readonly code: string | null
  /** Of a text message: the way that was asked for. */
  readonly sms_channel: SmsChannel | null
  /** Of a mail that comes again and again: what is posted to, to end it. */
  readonly list_unsubscribe: string | null
  /** What the `send_email` hook is asked with, where there was one when the message was written. */
  readonly hook_payload: HookPayload | null
  /** With this one. */
  readonly attempts: number
  readonly created_at: Date
}

/** Takes messages that are due, so that no other process sends them for as long as the lease goes. */
export async function claimDueMessages(
  db: Queryable,
  input: { readonly channel: MessageChannel; readonly limit: number; readonly nowMs: number },
): Promise<DueMessage[]> {
  const now = new Date(input.nowMs).toISOString()
  const leasedUntil = new Date(input.nowMs + MESSAGE_LEASE_MS).toISOString()
  return db.query<DueMessage>(sql`
    update auth.messages as message
       set attempts = message.attempts + 1, next_attempt_at = ${leasedUntil}
      from (
        select id from auth.messages
         where status = 'queued' and next_attempt_at <= ${now} and channel = ${input.channel}
         order by next_attempt_at
         limit ${input.limit}
           for update skip locked
      ) as due
     where message.id = due.id
    returning message.id, message.channel, message.recipient, message.subject, message.html, message.body, message.attempts,
              message.created_at, coalesce(message.variables ->> 'token', message.variables ->> 'code') as code,
              message.variables ->> 'channel' as sms_channel, message.variables ->> 'listUnsubscribe' as list_unsubscribe,
              message.variables -> 'hook' as hook_payload
  `)
}

/**
 * Notes what became of a message. Its code and link stay nowhere: who reads the table later learns no more than that it was sent.
 *
 * @param input.error - why it was given up; `undefined` for one that was sent
 * @param input.now - ISO 8601
 */
export async function finishMessage(
  db: Queryable,
  input: { readonly message: DueMessage; readonly error: string | undefined; readonly now: string },
): Promise<void> {
  const { message, error, now } = input
  const subject = message.code ? message.subject.replaceAll(message.code, '…') : message.subject
  await db.execute(sql`
    update auth.messages
       set status = ${error === undefined ? 'sent' : 'failed'}, sent_at = ${error === undefined ? now : null},
           last_error = ${error ?? null}, next_attempt_at = null, subject = ${subject}, html = '', body = '', variables = '{}'
     where id = ${message.id}
  `)
}

/** @param input.at - when to try again, ISO 8601 */
export async function postponeMessage(
  db: Queryable,
  input: { readonly id: string; readonly error: string; readonly at: string },
): Promise<void> {
  await db.execute(sql`
    update auth.messages set last_error = ${input.error}, next_attempt_at = ${input.at}
     where id = ${input.id} and status = 'queued'
  `)
}

/** Deletes messages older than a week, and captured messages beyond the newest thousand, or beyond what may be kept of them. */
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

/** Empties the mailbox, of one recipient or of all; messages still to be sent stay. */
export async function deleteMessages(db: Queryable, recipient: string | undefined): Promise<number> {
  const whose = recipient === undefined ? sql`true` : sql`recipient = ${recipient}`
  return db.execute(sql`delete from auth.messages where status <> 'queued' and ${whose}`)
}
