import { recordAudit } from '../audit-log.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { RateLimits } from '../rate-limits.ts'
import { isoNow, type Store } from '../store.ts'
import { findUserByEmail, lockUser } from '../users/user-row.ts'
import { emailProviderDisabled } from './errors.ts'
import { pretendToSend } from './pretend.ts'
import type { LinkTarget, TokenMessages } from './token-messages.ts'

export type RequestRecoveryNeeds = Store &
  WithOptions<'emailEnableSignup'> & {
    readonly tokenMessages: TokenMessages
    readonly limits: Pick<RateLimits, 'mail'>
  }

/**
 * Mails a link and a code that sign in a person who forgot their password. Does the same for an address without an account, save that no mail
 * comes.
 *
 * @param input.email - in lower case
 * @param input.address - of the client
 * @throws {HoldfastError} `email_provider_disabled`, `over_email_send_rate_limit`
 */
export async function requestRecovery(
  { pool, clock, limits, options, tokenMessages }: RequestRecoveryNeeds,
  input: LinkTarget & { readonly email: string; readonly address: string },
): Promise<void> {
  const { email, address } = input
  if (!options.emailEnableSignup) throw emailProviderDisabled('logins', 400)
  limits.mail.take(address)
  const now = isoNow(clock)
  await pool.transaction(async (tx) => {
    await tokenMessages.count(tx, 'mail', { address: email, kind: 'recovery' })
    const user = await findUserByEmail(tx, email)
    if (!user) {
      await pretendToSend(tx)
      return
    }
    await lockUser(tx, user.id)
    await recordAudit(tx, { action: 'user_recovery_requested', actor: user, address, now })
    await tokenMessages.sendLinkMail(tx, { ...input, user, purpose: 'recovery', now })
  })
}
