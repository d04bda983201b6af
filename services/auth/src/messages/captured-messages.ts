import { type Pool, sql } from '@holdfast/postgres'
import { CAPTURED_MESSAGE_CHARS_MAX } from '../limits.ts'

/** A captured message in a list. */
export interface CapturedEntry {
  readonly id: string
  readonly channel: 'mail' | 'sms'
  /** Its purpose: `confirmation`, `recovery`, … */
  readonly kind: string
  readonly recipient: string
  /** Empty for a text message. */
  readonly subject: string
  readonly createdAt: Date
}

/** A captured message with its content. */
export interface CapturedMessage extends CapturedEntry {
  /** Empty for a text message. */
  readonly html: string
  /** Plain text. */
  readonly body: string
  /** The code in the message. */
  readonly code: string | undefined
  /** The link of its button. */
  readonly link: string | undefined
}

/** Mails and text messages kept in the database because no sender is configured. */
export interface CapturedMessages {
  /** Newest first. */
  list(limit: number): Promise<readonly CapturedEntry[]>
  find(id: string): Promise<CapturedMessage | undefined>
  /** Deletes all captured messages. */
  empty(): Promise<void>
}

interface Row extends CapturedEntry {
  readonly html: string
  readonly body: string
  readonly code: string | null
  readonly tokenHash: string | null
}

const ENTRY = sql`id, channel, kind, left(recipient, 320) as recipient, left(subject, 500) as subject, created_at as "createdAt"`

/** @param pool - connected as the owner of schema `auth` */
export function readCaptured(pool: Pool): CapturedMessages {
  return {
    list: (limit) =>
      pool.query<CapturedEntry>(
        sql`select ${ENTRY} from auth.messages where status = 'captured' order by created_at desc, id limit ${limit}`,
      ),
    async find(id) {
      const [row] = await pool.query<Row>(sql`
        select ${ENTRY}, left(html, ${CAPTURED_MESSAGE_CHARS_MAX}) as html, left(body, ${CAPTURED_MESSAGE_CHARS_MAX}) as body,
               coalesce(nullif(variables ->> 'token', ''), variables ->> 'code') as code,
               nullif(variables ->> 'tokenHash', '') as "tokenHash"
          from auth.messages where status = 'captured' and id = ${id}
      `)
      if (!row) return undefined
      const { tokenHash, code, ...message } = row
      return { ...message, code: code ?? undefined, link: linkIn(message.body, tokenHash) }
    },
    async empty() {
      await pool.execute(sql`delete from auth.messages where status = 'captured'`)
    },
  }
}

/** Finds the link that contains the mail's secret. Other links, which may come from user-supplied text, are ignored. */
export function linkIn(body: string, tokenHash: string | null): string | undefined {
  if (tokenHash === null) return undefined
  const addresses: readonly string[] = body.match(/https?:\/\/[^\s<>"']+/g) ?? []
  return addresses.find((address) => address.includes(encodeURIComponent(tokenHash)))
}
