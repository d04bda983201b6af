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
