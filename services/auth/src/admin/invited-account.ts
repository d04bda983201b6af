import { randomUUID } from 'node:crypto'
import { HoldfastError } from '@holdfast/foundation'
import { recordAudit } from '../audit-log.ts'
import type { AuthContext } from '../context.ts'
import { requireGoodPassword } from '../passwords/require-good-password.ts'
import { createUser } from '../sign-up/create-user.ts'
import { parseEmail } from '../users/contact.ts'
import { isEmailTaken } from './find-account.ts'

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
export async function createInvitedAccount(context: AuthContext, account: InvitedAccount): Promise<boolean> {
  const { pool, passwords, clock } = context
  const { password, name, address } = account
  const email = parseEmail(account.email)
  if (await isEmailTaken(pool, email)) return false
  await requireGoodPassword(context, password)
  const passwordHash = await passwords.hash(password)
  const id = randomUUID()
  const now = new Date(clock.now()).toISOString()
  try {
    await pool.transaction(async (tx) => {
      await createUser(context, tx, {
        user: {
          id,
          identity: {
            id: randomUUID(),
            provider: 'email',
            providerId: id,
            data: { sub: id, email, email_verified: true, phone_verified: false },
          },
          email,
          passwordHash,
          appMetadata: { provider: 'email', providers: ['email'] },
          userMetadata: { name, email_verified: true },
          emailConfirmed: true,
          now,
        },
        address,
        announce: true,
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
