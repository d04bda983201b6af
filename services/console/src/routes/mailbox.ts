import { sql, type Pool } from '@holdfast/postgres'
import type { ListedMail, Mailbox } from '@holdfast/protocol'
import { Type } from 'typebox'
import { mailUnknown } from '../errors.ts'
import { MAILS_MAX } from '../limits.ts'
import { hasRole } from '../operators/require-operator.ts'
import { route, type Route } from '../routing/route.ts'
import { maskEmail, maskPhone } from '../users/mask.ts'

/** Mails that are captured because none are sent. */
export interface CapturedMails {
  find(id: string): Promise<{ readonly body: string; readonly link: string | undefined } | undefined>
}

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Mails and text messages of the last days: captured ones with their text, and what became of sent ones, whose text is not kept. */
export function mailboxRoutes(pool: Pool, captured: CapturedMails | undefined): readonly Route[] {
  return [
    route('GET /mailbox', {
      access: 'viewer',
      query: Type.Object({ state: Type.Optional(Type.Union([Type.Literal('failed'), Type.Literal('queued')])) }),
      run: async ({ query, session }): Promise<Mailbox> => {
        const mails = await pool.query<ListedMail>(sql`
          select id::text, channel, kind, left(recipient, 320) as recipient, left(subject, 500) as subject, status, attempts,
                 left(last_error, 2000) as "lastError", next_attempt_at as "nextAttemptAt", created_at as "createdAt"
            from auth.messages where ${query.state ?? null}::text is null or status = ${query.state ?? null}
           order by created_at desc, id limit ${MAILS_MAX}::int`)
        const mayRead = hasRole(session, 'developer')
        return { isCaptured: captured !== undefined, mails: mayRead ? mails : mails.map(masked) }
      },
    }),
    route('GET /mailbox/:id', {
      access: 'developer',
      // Its link signs the recipient in.
      action: 'read_mail',
      run: async ({ parameters: { id = '' }, note }) => {
        note({ target: `mail ${id}` })
        const mail = UUID.test(id) ? await captured?.find(id) : undefined
        if (!mail) throw mailUnknown()
        return { body: mail.body, ...(mail.link !== undefined && { link: mail.link }) }
      },
    }),
  ]
}

function masked(mail: ListedMail): ListedMail {
  const mask = mail.channel === 'mail' ? maskEmail : maskPhone
  return {
    ...mail,
    recipient: mask(mail.recipient) ?? '',
    subject: '',
    lastError: mail.lastError === null ? null : 'Shown to developers only.',
  }
}
