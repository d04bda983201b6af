import type { WithOptions } from '../options/auth-options.ts'
import type { Store } from '../store.ts'
import { findUserByEmail } from '../users/user-row.ts'
import { issueToken } from './issue-token.ts'

type Needs = Store & WithOptions<'emailOtpExpiry' | 'emailOtpLength'>

/**
 * A key that signs in once, in place of a mail's link: whoever started the server has no mail to read. The public client takes it with
 * `auth.verifyOtp({ token_hash, type: 'magiclink' })`. An earlier key or link for the account is worth nothing after this.
 *
 * @param lifetimeS - for how long it is good, in seconds; no longer than the links of mails are
 * @returns `undefined` when there is no such account
 */
export async function issueSignInKey(
  { pool, clock, options }: Needs,
  email: string,
  lifetimeS: number,
): Promise<string | undefined> {
  const user = await findUserByEmail(pool, email)
  if (!user) return undefined
  // Its age is judged as that of a mail's link: it is dated back by what those have more.
  const datedBackS = Math.max(0, options.emailOtpExpiry - lifetimeS)
  const now = new Date(clock.now() - datedBackS * 1_000).toISOString()
  const code = { digits: options.emailOtpLength }
  const { tokenHash } = await pool.transaction((tx) =>
    issueToken(tx, { userId: user.id, purpose: 'magiclink', sentTo: email, code, now }),
  )
  return tokenHash
}
