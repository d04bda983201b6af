import { assert } from '@holdfast/foundation'
import { sql, type SqlFragment, type Transaction } from '@holdfast/postgres'
import {
  createOneTimeToken,
  createOtp,
  type OneTimeTokenType,
  saveOneTimeToken,
} from '../one-time-tokens/one-time-tokens.ts'
import type { WithOptions } from '../options/auth-options.ts'
import type { Store } from '../store.ts'
import { findUserByEmail } from '../users/user-row.ts'

/** Purpose of a code or link. */
export type TokenPurpose =
  | 'signup'
  | 'invite'
  | 'magiclink'
  | 'recovery'
  | 'email_change_current'
  | 'email_change_new'
  | 'sms'
  | 'phone_change'
  | 'reauthentication'

export interface IssuedToken {
  /** The code that users type. */
  readonly otp: string
  /** Token hash in a link. */
  readonly tokenHash: string
}

interface Place {
  readonly type: OneTimeTokenType
  readonly sentAt: string
}

/** Storage per purpose: the row's type, which is also the column of the token on the user, and the column of its time. */
const PLACES: Readonly<Record<TokenPurpose, Place>> = {
  signup: { type: 'confirmation_token', sentAt: 'confirmation_sent_at' },
  invite: { type: 'confirmation_token', sentAt: 'confirmation_sent_at' },
  sms: { type: 'confirmation_token', sentAt: 'confirmation_sent_at' },
  magiclink: { type: 'recovery_token', sentAt: 'recovery_sent_at' },
  recovery: { type: 'recovery_token', sentAt: 'recovery_sent_at' },
  email_change_current: { type: 'email_change_token_current', sentAt: 'email_change_sent_at' },
  email_change_new: { type: 'email_change_token_new', sentAt: 'email_change_sent_at' },
  phone_change: { type: 'phone_change_token', sentAt: 'phone_change_sent_at' },
  reauthentication: { type: 'reauthentication_token', sentAt: 'reauthentication_sent_at' },
}

/**
 * Creates a token and stores it like GoTrue: in a row of `one_time_tokens` and on the user. Invalidates an earlier token in the same
 * place. Sends nothing.
 *
 * @param input.sentTo - recipient as lowercase email or digits; for `email_change_new` and `phone_change` the new one
 * @param input.newEmail - the new address, for both kinds of `email_change`
 * @param input.code - number of random digits, or the fixed code of a test number
 * @param input.isPkce - whether the link ends in a code for the requesting client
 * @param input.supportSeconds - for a support link, after which its session ends
 * @param input.now - ISO 8601
 */
export async function issueToken(
  tx: Transaction,
  input: {
    readonly userId: string
    readonly purpose: TokenPurpose
    readonly sentTo: string
    readonly newEmail?: string
    readonly code: { readonly digits: number } | { readonly fixed: string }
    readonly isPkce?: boolean
    readonly supportSeconds?: number | undefined
    readonly now: string
  },
): Promise<IssuedToken> {
  const { userId, purpose, sentTo, code, now } = input
  const { type, sentAt } = PLACES[purpose]
  const otp = 'fixed' in code ? code.fixed : createOtp(code.digits)
  const { isPkce = false, supportSeconds } = input
  const token = createOneTimeToken({ type, relatesTo: sentTo, otp, isPkce, supportSeconds })
  const touched = await tx.execute(sql`
    update auth.users
       set ${sql.identifier(type)} = ${token.tokenHash}, ${sql.identifier(sentAt)} = ${now}, updated_at = ${now}${alsoSet(input)}
     where id = ${userId}
  `)
  assert(touched === 1, 'the user is there')
  await saveOneTimeToken(tx, { userId, token, now })
  return { otp, tokenHash: token.tokenHash }
}

function alsoSet(input: {
  readonly purpose: TokenPurpose
  readonly sentTo: string
  readonly newEmail?: string
  readonly now: string
}): SqlFragment {
  switch (input.purpose) {
    case 'invite':
      return sql`, invited_at = ${input.now}`
    case 'email_change_current':
    case 'email_change_new':
      assert(input.newEmail !== undefined, 'a change of address names the new one')
      return sql`, email_change = ${input.newEmail}, email_change_confirm_status = 0`
    case 'phone_change':
      return sql`, phone_change = ${input.sentTo}`
    default:
      return sql``
  }
}

type SignInKeyNeeds = Store & WithOptions<'emailOtpExpiry' | 'emailOtpLength'>

/**
 * Issues a key that signs in once, in place of a mailed link, for an operator without mail. Clients redeem it with
 * `auth.verifyOtp({ token_hash, type: 'magiclink' })`. Invalidates earlier keys and links of the account.
 *
 * @param lifetimeS - in seconds; at most the lifetime of mailed links
 * @returns `undefined` without such an account
 */
export async function issueSignInKey(
  { pool, clock, options }: SignInKeyNeeds,
  email: string,
  lifetimeS: number,
): Promise<string | undefined> {
  const user = await findUserByEmail(pool, email)
  if (!user) return undefined
  // The key expires like a mailed link, so it is backdated by the difference between the two lifetimes.
  const datedBackS = Math.max(0, options.emailOtpExpiry - lifetimeS)
  const now = new Date(clock.now() - datedBackS * 1_000).toISOString()
  const code = { digits: options.emailOtpLength }
  const { tokenHash } = await pool.transaction((tx) =>
    issueToken(tx, { userId: user.id, purpose: 'magiclink', sentTo: email, code, now }),
  )
  return tokenHash
}
