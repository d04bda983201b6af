import { sql } from '@holdfast/postgres'
import type { AuthContext } from '../context.ts'

/**
 * Replaces the hash of a person who has just proved their password when it is not of today's form and cost: accounts of a dump become like
 * others with their first sign-in. Returns at once.
 */
export function renewPasswordHash(
  { passwords, pool }: AuthContext,
  input: { readonly userId: string; readonly password: string; readonly encodedHash: string },
): void {
  const { userId, password, encodedHash } = input
  passwords.renew(password, encodedHash, async (renewed) => {
    // A person who changes their password meanwhile has the last word.
    await pool.execute(sql`
      update auth.users set encrypted_password = ${renewed} where id = ${userId} and encrypted_password = ${encodedHash}
    `)
  })
}
