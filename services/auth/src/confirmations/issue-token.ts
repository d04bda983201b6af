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

/** What a code or link may be used for. */
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
  /** The code that people type. */
  readonly otp: string
  /** Token hash in a link. */
  readonly tokenHash: string
}

interface Place {
  readonly type: OneTimeTokenType
  readonly sentAt: string
}

/** Where each kind is kept: the type of its row, and its time on the user; the column of the token is named as the type. */
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
 * Makes a token for a user and saves it as GoTrue does: a row of `one_time_tokens`, and the same on the user. An earlier one for the same
 * place is worth nothing after this. Sends nothing.
 *
 * @param input.sentTo - the address in lower case or the digits of the number that it is sent to; for `email_change_new` and
 * `phone_change` the one that is to be
 * @param input.newEmail - the address that is to be, for both kinds of `email_change`
 * @param input.code - how many digits to roll, or the fixed code of a number that is for tests
 * @param input.isPkce - whether the link ends in a code for the client that asked
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
    readonly now: string
  },
): Promise<IssuedToken> {
  const { userId, purpose, sentTo, code, now } = input
  const { type, sentAt } = PLACES[purpose]
  const otp = 'fixed' in code ? code.fixed : createOtp(code.digits)
  const token = createOneTimeToken({ type, relatesTo: sentTo, otp, isPkce: input.isPkce ?? false })
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
 * A key that signs in once, in place of a mail's link: whoever started the server has no mail to read. The public client takes it with
 * `auth.verifyOtp({ token_hash, type: 'magiclink' })`. An earlier key or link for the account is worth nothing after this.
 *
 * @param lifetimeS - for how long it is good, in seconds; no longer than the links of mails are
 * @returns `undefined` when there is no such account
 */
export async function issueSignInKey(
  { pool, clock, options }: SignInKeyNeeds,
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
