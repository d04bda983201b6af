import { recordAudit } from '../audit-log.ts'
import { issueToken } from '../confirmations/issue-token.ts'
import { emailExists } from '../errors.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { markUnverified } from '../identities/unverified-credentials.ts'
import type { Messages } from '../messages/messages.ts'
import type { WithOptions } from '../options/auth-options.ts'
import { isoNow, type Store } from '../store.ts'
import { parseEmail } from '../users/contact.ts'
import type { UserMetadata } from '../users/user-metadata.ts'
import { findUserByEmail, type UserRow } from '../users/user-row.ts'
import { findAccount, isEmailTaken } from './find-account.ts'
import type { Admin } from './require-admin.ts'
import { createEmailAccount } from './email-account.ts'

export type InviteAccountNeeds = Store &
  WithOptions<'emailOtpLength'> & { readonly hooks: Hooks; readonly messages: Messages }

/**
 * Invites a person by mail: makes an account that the link in the mail signs in to. Who was invited before and has not come gets another mail,
 * and the link of the one before is worth nothing.
 *
 * @throws {HoldfastError} `validation_failed`, `email_exists` when the address has an account, and what hooks refuse with
 */
export async function inviteAccount(
  { pool, clock, hooks, messages, options }: InviteAccountNeeds,
  input: {
    readonly email: string
    readonly metadata: UserMetadata
    readonly redirectTo: string
    readonly admin: Admin
    readonly address: string
  },
): Promise<UserRow> {
  const { metadata, redirectTo, admin, address } = input
  const email = parseEmail(input.email)
  const now = isoNow(clock)
  return pool.transaction(async (tx) => {
    const existing = await findUserByEmail(tx, email)
    const isFree = existing ? existing.email_confirmed_at === null : !(await isEmailTaken(tx, email))
    if (!isFree) throw emailExists()
    const user =
      existing ?? (await createEmailAccount(hooks, tx, { email, metadata, isConfirmed: false, address, now }))
    if (existing) await markUnverified(tx, user.id, 'email')
    const traits = { user_id: user.id, user_email: email }
    await recordAudit(tx, { action: 'user_invited', actor: admin, address, now, traits })
    const code = { digits: options.emailOtpLength }
    const token = await issueToken(tx, { userId: user.id, purpose: 'invite', sentTo: email, code, now })
    await messages.sendMail(tx, {
      kind: 'invite',
      to: email,
      userId: user.id,
      token: token.otp,
      tokenHash: token.tokenHash,
      redirectTo,
      data: user.raw_user_meta_data ?? {},
    })
    return findAccount(tx, user.id)
  })
}
