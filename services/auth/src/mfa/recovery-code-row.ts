import { createHash, randomBytes } from 'node:crypto'
import { type Queryable, sql } from '@holdfast/postgres'

/** Replaces all codes of a factor. */
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

/** Uses a code. @returns whether it existed unused */
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

/** @returns 16 lowercase characters of 5 random bits each, without separators */
export function createRecoveryCode(): string {
  return Array.from(randomBytes(LENGTH), (byte) => ALPHABET.charAt(byte & 31)).join('')
}

/**
 * Returns the stored hash of a code.
 *
 * @param text - as typed: case, spaces and hyphens are ignored, and o, i and l are read as the digits they resemble
 */
export function hashRecoveryCode(text: string): string {
  const code = text.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1')
  return createHash('sha256').update(code).digest('hex')
}
