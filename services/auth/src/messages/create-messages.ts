import type { Clock } from '@holdfast/foundation'
import { type Transaction, sql } from '@holdfast/postgres'
import type { Messages, OutgoingMail, OutgoingSms } from './messages.ts'

export function createMessages({ clock }: { readonly clock: Clock }): Messages {
  const now = (): string => new Date(clock.now()).toISOString()
  return {
    async sendMail(tx: Transaction, mail: OutgoingMail) {
      await tx.execute(sql`
        insert into auth.messages (channel, kind, user_id, recipient, body, variables, status, created_at)
        values ('mail', ${mail.kind}, ${mail.userId}, ${mail.to}, '', ${JSON.stringify(mail)}::jsonb, 'captured', ${now()})
      `)
    },
    async sendSms(tx: Transaction, sms: OutgoingSms) {
      await tx.execute(sql`
        insert into auth.messages (channel, kind, user_id, recipient, body, variables, status, created_at)
        values ('sms', ${sms.kind}, ${sms.userId}, ${sms.to}, '', ${JSON.stringify(sms)}::jsonb, 'captured', ${now()})
      `)
    },
    testOtp: () => undefined,
    settled: async () => undefined,
    async [Symbol.asyncDispose]() {
      // Nothing is on its way.
    },
  }
}
