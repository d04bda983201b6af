import { HoldfastError } from '@holdfast/foundation'
import { recordAudit } from '../audit-log.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { isoNow, type Store } from '../store.ts'
import { parseEmail } from '../users/contact.ts'
import { createEmailAccount } from './email-account.ts'
import { isEmailTaken } from './find-account.ts'

type Needs = Store & { readonly hooks: Hooks; readonly passwords: Passwords }

/** Somebody who came by the link of an invitation, and so reads the mails of its address. */
export interface InvitedAccount {
  readonly email: string
  readonly password: string
  /** What they are called. */
  readonly name: string
  /** Of the client, for hooks and the audit log. */
  readonly address: string
}

/**
 * Makes a confirmed account for whoever holds the link of an invitation, also where people do not sign up by themselves. The rules for passwords and the
 * `before_user_created` hook hold as at any sign-up.
 *
 * @returns whether it was made; an address that has an account keeps it as it is
 * @throws {HoldfastError} `weak_password`, `validation_failed`, and what hooks refuse with
 */
export async function createInvitedAccount(
  { pool, clock, hooks, passwords }: Needs,
  account: InvitedAccount,
): Promise<boolean> {
  const { password, name, address } = account
  const email = parseEmail(account.email)
  if (await isEmailTaken(pool, email)) return false
  await passwords.requireGood(password)
  const passwordHash = await passwords.hash(password)
  const now = isoNow(clock)
  try {
    await pool.transaction(async (tx) => {
      const metadata = { name }
      const { id } = await createEmailAccount(hooks, tx, {
        email,
        metadata,
        passwordHash,
        isConfirmed: true,
        address,
        now,
      })
      const actor = { id, email, phone: null, is_sso_user: false }
      await recordAudit(tx, { action: 'user_signedup', actor, address, now, traits: { provider: 'email' } })
    })
    return true
  } catch (error) {
    // Somebody made one since it was looked up.
    if (error instanceof HoldfastError && error.code === 'user_already_exists') return false
    throw error
  }
}
