import { createHash, randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import { assert } from '@holdfast/foundation'
import { type Queryable, sql, type SqlFragment, type Transaction } from '@holdfast/postgres'

export type OneTimeTokenType =
  | 'confirmation_token'
  | 'reauthentication_token'
  | 'recovery_token'
  | 'email_change_token_new'
  | 'email_change_token_current'
  | 'phone_change_token'

export interface OneTimeToken {
  readonly id: string
  readonly user_id: string
  readonly token_type: OneTimeTokenType
  readonly token_hash: string
  readonly relates_to: string
  readonly created_at: Date
}

/** Marks tokens whose link ends in a code for the client that asked, instead of in tokens in the address. */
const PKCE_PREFIX = 'pkce_'

/** @returns as many random digits, zeros in front included */
export function createOtp(digits: number): string {
  assert(digits >= 6 && digits <= 10, 'codes have six to ten digits')
  return String(randomInt(10 ** digits)).padStart(digits, '0')
}

/**
 * The hash that is stored of a code, and that links carry: the code cannot be computed from it, and it is worth nothing for another address.
 *
 * @param relatesTo - the address or number that the code was sent to
 * @param salt - keeps who knows the address from trying links made of every code; none in tokens that GoTrue made
 */
export function hashOneTimeToken(relatesTo: string, otp: string, salt = ''): string {
  return createHash('sha224')
    .update(relatesTo + otp + salt)
    .digest('hex')
}

export function isPkceToken(tokenHash: string): boolean {
  return tokenHash.startsWith(PKCE_PREFIX)
}

/** A token that was not saved yet. Its `id` is its salt, and never leaves the database. */
export interface NewOneTimeToken {
  readonly id: string
  readonly type: OneTimeTokenType
  readonly tokenHash: string
  readonly relatesTo: string
}

/** @param input.isPkce - whether its link ends in a code for the client that asked */
export function createOneTimeToken(input: {
  readonly type: OneTimeTokenType
  readonly relatesTo: string
  readonly otp: string
  readonly isPkce: boolean
}): NewOneTimeToken {
  const { type, relatesTo } = input
  const id = randomUUID()
  const hash = hashOneTimeToken(relatesTo, input.otp, id)
  return { id, type, relatesTo, tokenHash: input.isPkce ? PKCE_PREFIX + hash : hash }
}

/**
 * Keeps a token, in place of the one of that type that the user may have had. Whoever calls has locked or changed the user before.
 *
 * @param input.now - ISO 8601
 */
export async function saveOneTimeToken(
  db: Queryable,
  input: { readonly userId: string; readonly token: NewOneTimeToken; readonly now: string },
): Promise<void> {
  const { userId, token, now } = input
  await db.execute(sql`
    insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
    values (
      ${token.id}, ${userId}, ${token.type}, ${token.tokenHash}, ${token.relatesTo.toLowerCase()},
      ${now}::timestamptz at time zone 'utc', ${now}::timestamptz at time zone 'utc'
    )
    on conflict (user_id, token_type) do update
       set id = excluded.id, token_hash = excluded.token_hash, relates_to = excluded.relates_to,
           created_at = excluded.created_at, updated_at = excluded.updated_at
  `)
}

function selectTokens(condition: SqlFragment): SqlFragment {
  return sql`
    select id, user_id, token_type, token_hash, relates_to, created_at at time zone 'utc' as created_at
      from auth.one_time_tokens
     where ${condition}
     order by created_at desc, id
  `
}

/** The token of one of these types that a link carries. */
export async function findOneTimeToken(
  db: Queryable,
  input: { readonly tokenHash: string; readonly types: readonly OneTimeTokenType[] },
): Promise<OneTimeToken | undefined> {
  const { tokenHash, types } = input
  const [token] = await db.query<OneTimeToken>(
    selectTokens(sql`token_hash = ${tokenHash} and token_type::text = any(${types}::text[])`),
  )
  return token
}

/**
 * The token of one of these types that a code sent to an address belongs to.
 *
 * @param input.relatesTo - the address in lower case, or the digits of the number
 */
export async function findOneTimeTokenByOtp(
  db: Queryable,
  input: { readonly relatesTo: string; readonly otp: string; readonly types: readonly OneTimeTokenType[] },
): Promise<OneTimeToken | undefined> {
  const { relatesTo, otp, types } = input
  const tokens = await db.query<OneTimeToken>(
    selectTokens(sql`relates_to = ${relatesTo} and token_type::text = any(${types}::text[])`),
  )
  return tokens.find((token) => isOtpOf(token, relatesTo, otp))
}

/** The newest token of one of these types for an address, of which another service says that its code was right. */
export async function findNewestOneTimeToken(
  db: Queryable,
  input: { readonly relatesTo: string; readonly types: readonly OneTimeTokenType[] },
): Promise<OneTimeToken | undefined> {
  const { relatesTo, types } = input
  const [token] = await db.query<OneTimeToken>(
    selectTokens(sql`relates_to = ${relatesTo} and token_type::text = any(${types}::text[])`),
  )
  return token
}

/** Compares in constant time. Knows the salted hashes of this server and those that came with a dump of GoTrue. */
function isOtpOf(token: OneTimeToken, relatesTo: string, otp: string): boolean {
  const kept = isPkceToken(token.token_hash) ? token.token_hash.slice(PKCE_PREFIX.length) : token.token_hash
  return [token.id, ''].some((salt) => {
    const left = Buffer.from(hashOneTimeToken(relatesTo, otp, salt))
    const right = Buffer.from(kept)
    return left.length === right.length && timingSafeEqual(left, right)
  })
}

/** @param types - all when left out */
export async function deleteOneTimeTokens(
  db: Queryable,
  userId: string,
  types?: readonly OneTimeTokenType[],
): Promise<void> {
  const which = types === undefined ? sql`true` : sql`token_type::text = any(${types}::text[])`
  await db.execute(sql`delete from auth.one_time_tokens where user_id = ${userId} and ${which}`)
}

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
