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

/** Marks tokens whose link returns a code to the requesting client instead of tokens. */
const PKCE_PREFIX = 'pkce_'

/** Marks tokens of support links, with the seconds after which their sessions end. */
const SUPPORT_PREFIX = /^support(\d{1,6})_/

/** @returns random digits, including leading zeros */
export function createOtp(digits: number): string {
  assert(digits >= 6 && digits <= 10, 'codes have six to ten digits')
  return String(randomInt(10 ** digits)).padStart(digits, '0')
}

/**
 * Returns the hash of a code for storage and links. It does not reveal the code and is valid for this address only.
 *
 * @param relatesTo - recipient of the code
 * @param salt - prevents guessing links by hashing every code for a known address; empty for GoTrue's tokens
 */
export function hashOneTimeToken(relatesTo: string, otp: string, salt = ''): string {
  return createHash('sha224')
    .update(relatesTo + otp + salt)
    .digest('hex')
}

export function isPkceToken(tokenHash: string): boolean {
  return tokenHash.startsWith(PKCE_PREFIX)
}

/** Returns the seconds after which the session of a support link ends; `undefined` for other tokens. */
export function supportSecondsOf(tokenHash: string): number | undefined {
  const seconds = SUPPORT_PREFIX.exec(tokenHash)?.[1]
  return seconds === undefined ? undefined : Number(seconds)
}

/** An unsaved token. Its `id` serves as the salt and never leaves the database. */
export interface NewOneTimeToken {
  readonly id: string
  readonly type: OneTimeTokenType
  readonly tokenHash: string
  readonly relatesTo: string
}

/**
 * @param input.isPkce - whether its link returns a code to the requesting client
 * @param input.supportSeconds - of a support link, which is never a PKCE one
 */
export function createOneTimeToken(input: {
  readonly type: OneTimeTokenType
  readonly relatesTo: string
  readonly otp: string
  readonly isPkce: boolean
  readonly supportSeconds?: number | undefined
}): NewOneTimeToken {
  const { type, relatesTo, supportSeconds } = input
  const id = randomUUID()
  const hash = hashOneTimeToken(relatesTo, input.otp, id)
  const prefix = supportSeconds === undefined ? (input.isPkce ? PKCE_PREFIX : '') : `support${supportSeconds}_`
  return { id, type, relatesTo, tokenHash: prefix + hash }
}

/**
 * Saves a token, replacing the user's token of that type. The caller has locked or changed the user.
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

/** Finds a token of one of these types by the hash in a link. */
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
 * Finds a token of one of these types by a code and its recipient.
 *
 * @param input.relatesTo - lowercase email, or digits of the number
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

/** Finds the newest token of one of these types for an address whose code an external service has confirmed. */
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

/** Compares in constant time. Accepts this server's salted hashes and GoTrue's unsalted ones. */
function isOtpOf(token: OneTimeToken, relatesTo: string, otp: string): boolean {
  const kept = token.token_hash.replace(SUPPORT_PREFIX, '').replace(PKCE_PREFIX, '')
  return [token.id, ''].some((salt) => {
    const left = Buffer.from(hashOneTimeToken(relatesTo, otp, salt))
    const right = Buffer.from(kept)
    return left.length === right.length && timingSafeEqual(left, right)
  })
}

/** @param types - default: all */
export async function deleteOneTimeTokens(
  db: Queryable,
  userId: string,
  types?: readonly OneTimeTokenType[],
): Promise<void> {
  const which = types === undefined ? sql`true` : sql`token_type::text = any(${types}::text[])`
  await db.execute(sql`delete from auth.one_time_tokens where user_id = ${userId} and ${which}`)
}

/**
 * Deletes a user's pending codes and links, and the address or number changes they would confirm. A pending change without its code could
 * be requested again by whichever client started it.
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
