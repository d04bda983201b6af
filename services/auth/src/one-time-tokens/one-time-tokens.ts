import { createHash, randomInt, randomUUID } from 'node:crypto'
import { assert } from '@holdfast/foundation'
import { type Queryable, sql } from '@holdfast/postgres'

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
 * What is kept of a code, and what links carry: nobody can make the code from it, and it is worth nothing for another address.
 *
 * @param relatesTo - the address or number that the code was sent to
 */
export function hashOneTimeToken(relatesTo: string, otp: string): string {
  return createHash('sha224')
    .update(relatesTo + otp)
    .digest('hex')
}

export function withPkcePrefix(tokenHash: string): string {
  return PKCE_PREFIX + tokenHash
}

export function isPkceToken(tokenHash: string): boolean {
  return tokenHash.startsWith(PKCE_PREFIX)
}

/**
 * Keeps a token, in place of the one of that type that the user may have had.
 *
 * @param input.now - ISO 8601
 */
export async function saveOneTimeToken(
  db: Queryable,
  input: {
    readonly userId: string
    readonly type: OneTimeTokenType
    readonly tokenHash: string
    readonly relatesTo: string
    readonly now: string
  },
): Promise<void> {
  await db.execute(sql`
    insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
    values (
      ${randomUUID()}, ${input.userId}, ${input.type}, ${input.tokenHash}, ${input.relatesTo.toLowerCase()},
      ${input.now}::timestamptz at time zone 'utc', ${input.now}::timestamptz at time zone 'utc'
    )
    on conflict (user_id, token_type) do update
       set id = excluded.id, token_hash = excluded.token_hash, relates_to = excluded.relates_to,
           created_at = excluded.created_at, updated_at = excluded.updated_at
  `)
}

/** The token of one of these types whose hash is `tokenHash`, with or without the mark of PKCE. */
export async function findOneTimeToken(
  db: Queryable,
  input: { readonly tokenHash: string; readonly types: readonly OneTimeTokenType[] },
): Promise<OneTimeToken | undefined> {
  const [token] = await db.query<OneTimeToken>(sql`
    select id, user_id, token_type, token_hash, relates_to, created_at at time zone 'utc' as created_at
      from auth.one_time_tokens
     where token_hash = any(${[input.tokenHash, PKCE_PREFIX + input.tokenHash]}::text[])
       and token_type::text = any(${input.types}::text[])
  `)
  return token
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
