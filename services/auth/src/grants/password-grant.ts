import { sql, type Transaction } from '@holdfast/postgres'
import { recordAudit } from '../audit-log.ts'
import { emailProviderDisabled } from '../confirmations/errors.ts'
import {
  emailNotConfirmed,
  invalidCredentials,
  phoneNotConfirmed,
  phoneProviderDisabled,
  userBanned,
  validationFailed,
} from '../errors.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { judgePasswordAttempt, type PasswordAttempt } from '../sessions/judge-attempt.ts'
import type { SignedIn } from '../sessions/render-session.ts'
import type { RequestOrigin } from '../sessions/session-row.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { isoNow, type Store } from '../store.ts'
import { normalizePhone } from '../users/contact.ts'
import { findUserByEmail, findUserByPhone, hasPassword, isBanned } from '../users/user-row.ts'

export type GrantByPasswordNeeds = Store &
  WithOptions<'emailEnableSignup' | 'smsEnableSignup'> & {
    readonly hooks: Hooks
    readonly passwords: Passwords
    readonly sessions: Sessions
  }

/**
 * Signs in with an address or number and a password.
 *
 * An unknown user, a missing password and a wrong one get the same response after the same time. Other obstacles, such as a ban or an
 * unconfirmed address, are reported only if the password is correct. The `password_verification_attempt` hook may refuse.
 *
 * @throws {HoldfastError} `invalid_credentials`, `user_banned`, `email_not_confirmed`, `phone_not_confirmed`,
 * `phone_provider_disabled`, `validation_failed`, `over_request_rate_limit`
 */
export async function grantByPassword(
  needs: GrantByPasswordNeeds,
  input: { readonly email: string; readonly phone: string; readonly password: string; readonly origin: RequestOrigin },
): Promise<SignedIn> {
  const { pool, clock, options, passwords, sessions } = needs
  const { email, phone, password, origin } = input
  if (email !== '' && phone !== '') {
    throw validationFailed('Only an email address or phone number should be provided on login.')
  }
  if (email === '' && phone === '') throw validationFailed('missing email or phone')
  if (email !== '' && !options.emailEnableSignup) throw emailProviderDisabled('logins', 422)
  if (phone !== '' && !options.smsEnableSignup) throw phoneProviderDisabled('logins')

  const user =
    email === '' ? await findUserByPhone(pool, normalizePhone(phone)) : await findUserByEmail(pool, email.toLowerCase())
  const hash = user && hasPassword(user) ? (user.encrypted_password ?? undefined) : undefined
  const matches = await passwords.verify(password, hash)
  if (user && hash !== undefined && !isBanned(user, clock.now())) {
    await askHook(needs, { userId: user.id, valid: matches, address: origin.address })
  }
  if (!user || hash === undefined || !matches) throw invalidCredentials()
  if (isBanned(user, clock.now())) throw userBanned(400)
  if (email !== '' && user.email_confirmed_at === null) throw emailNotConfirmed()
  if (phone !== '' && user.phone_confirmed_at === null) throw phoneNotConfirmed()

  const now = isoNow(clock)
  const signedIn = await pool.transaction(async (tx) => {
    if ((await lockPasswordHash(tx, user.id)) !== hash) return undefined
    const provider = email === '' ? 'phone' : 'email'
    await recordAudit(tx, { action: 'login', actor: user, address: origin.address, now, traits: { provider } })
    return sessions.start(tx, { userId: user.id, method: 'password', origin, now })
  })
  // The hash changed during the comparison: a new password or only a rehash.
  if (!signedIn) return grantByPassword(needs, input)
  passwords.renewHash({ userId: user.id, password, encodedHash: hash })
  return { ...signedIn, weakPassword: await passwords.judge(password) }
}

/** Locks the password hash. A password change ends existing sessions, so a session with the old password must start before it or not at all. */
async function lockPasswordHash(tx: Transaction, userId: string): Promise<string | null | undefined> {
  const [row] = await tx.query<{ encrypted_password: string | null }>(sql`
    select encrypted_password from auth.users where id = ${userId} and deleted_at is null for no key update
  `)
  return row?.encrypted_password
}

/** Runs in a separate transaction, which commits even if the sign-in is refused. Unknown users have no id, so they call no hook. */
async function askHook({ pool, hooks }: GrantByPasswordNeeds, attempt: PasswordAttempt): Promise<void> {
  if (!hooks.has('password_verification_attempt')) return
  const rejection = await pool.transaction((tx) => judgePasswordAttempt(hooks, tx, attempt))
  if (rejection) throw rejection
}
