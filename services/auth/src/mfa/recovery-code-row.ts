import { createHash, randomBytes } from 'node:crypto'
import { type Queryable, sql } from '@holdfast/postgres'

/** Puts new codes in place of all the old ones. */
export async function replaceRecoveryCodes(
  db: Queryable,
  input: { readonly factorId: string; readonly hashes: readonly string[]; readonly now: string },
): Promise<void> {
  const { factorId, hashes, now } = input
  await db.execute(sql`delete from auth.mfa_recovery_codes where factor_id = ${factorId}`)
  await db.execute(sql`
    insert into auth.mfa_recovery_codes (factor_id, code_hash, created_at)
    select ${factorId}::uuid, code_hash, ${now}::timestamptz from unnest(${hashes}::text[]) as code_hash
  `)
}

export async function countRecoveryCodes(
  db: Queryable,
  factorId: string,
): Promise<{ readonly total: number; readonly remaining: number }> {
  const [counts] = await db.query<{ total: number; remaining: number }>(sql`
    select count(*)::integer as total, (count(*) filter (where used_at is null))::integer as remaining
      from auth.mfa_recovery_codes
     where factor_id = ${factorId}
  `)
  return counts ?? { total: 0, remaining: 0 }
}

/** @returns whether the code was there and had not been used; it is used from now on */
export async function useRecoveryCode(
  db: Queryable,
  input: { readonly factorId: string; readonly hash: string; readonly now: string },
): Promise<boolean> {
  const used = await db.query(sql`
    update auth.mfa_recovery_codes
       set used_at = ${input.now}
     where factor_id = ${input.factorId} and code_hash = ${input.hash} and used_at is null
    returning used_at
  `)
  return used.length === 1
}

/** Without i, l, o and u, because codes are read from paper. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const LENGTH = 16

/** @returns 16 characters of 5 random bits each, in lower case and without separators */
export function createRecoveryCode(): string {
  return Array.from(randomBytes(LENGTH), (byte) => ALPHABET.charAt(byte & 31)).join('')
}

/**
 * The stored hash of a code.
 *
 * @param text - as a person typed it: letter case, spaces and hyphens do not matter, and o, i and l are read as the digits they look like
 */
export function hashRecoveryCode(text: string): string {
  const code = text.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1')
  return createHash('sha256').update(code).digest('hex')
}
