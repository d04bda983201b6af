import { recordAudit } from '../audit-log.ts'
import type { AuthContext } from '../context.ts'
import { findUserByEmail, lockUser } from '../users/user-row.ts'
import { emailProviderDisabled } from './errors.ts'
import { pretendToSend } from './pretend.ts'
import { countMail, type LinkTarget, sendLinkMail } from './send-token.ts'

/**
 * Mails a link and a code that sign in a person who forgot their password. Does the same for an address without an account, save that no mail
 * comes.
 *
 * @param input.email - in lower case
 * @param input.address - of the client
 * @throws {HoldfastError} `email_provider_disabled`, `over_email_send_rate_limit`
 */
export async function requestRecovery(
  context: AuthContext,
  input: LinkTarget & { readonly email: string; readonly address: string },
): Promise<void> {
  const { email, address } = input
  if (!context.options.emailEnableSignup) throw emailProviderDisabled('logins', 400)
  context.limits.mail.take(address)
  const now = new Date(context.clock.now()).toISOString()
  await context.pool.transaction(async (tx) => {
    await countMail(context, tx, { address: email, kind: 'recovery' })
    const user = await findUserByEmail(tx, email)
    if (!user) {
      await pretendToSend(tx)
      return
    }
    await lockUser(tx, user.id)
    await recordAudit(tx, { action: 'user_recovery_requested', actor: user, address, now })
    await sendLinkMail(context, tx, { ...input, user, purpose: 'recovery', now })
  })
}
