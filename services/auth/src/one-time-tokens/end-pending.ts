import { sql, type Transaction } from '@holdfast/postgres'
import { deleteOneTimeTokens } from './one-time-tokens.ts'

/**
 * Ends what a user waits for: codes and links that are out, and the changes of address or number that they would confirm. A change that was
 * only left without its code could be asked for again, by whoever began it.
 */
export async function endPending(tx: Transaction, userId: string): Promise<void> {
  await tx.execute(sql`
    update auth.users
       set confirmation_token = '', confirmation_sent_at = null, recovery_token = '', recovery_sent_at = null,
           email_change = '', email_change_token_current = '', email_change_token_new = '', email_change_sent_at = null,
           email_change_confirm_status = 0, phone_change = '', phone_change_token = '', phone_change_sent_at = null,
           reauthentication_token = '', reauthentication_sent_at = null
     where id = ${userId}
  `)
  await deleteOneTimeTokens(tx, userId)
}
