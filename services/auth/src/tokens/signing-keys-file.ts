import { readFile } from 'node:fs/promises'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { errorMessage, HoldfastError } from '@holdfast/foundation'
import { type Pool, sql, type Transaction } from '@holdfast/postgres'
import { optionInvalid } from '../errors.ts'
import { importPrivateKey, insertKey, type NewSigningKey } from './signing-key-row.ts'

/**
 * Reads a file with an array of private JWKs, as written by `supabase gen signing-key`.
 *
 * @throws {HoldfastError} `option_invalid` with the problem, never with the file's content
 * @see Supabase CLI, `auth.signing_keys_path`
 */
export async function readSigningKeysFile(path: string): Promise<readonly NewSigningKey[]> {
  const fail = (what: string): HoldfastError => optionInvalid('signingKeysPath', `${path} ${what}`)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw fail(`cannot be read: ${errorMessage(error)}`)
  })
  let items: unknown
  try {
    items = JSON.parse(text)
  } catch {
    throw fail('is no JSON')
  }
  if (!Array.isArray(items) || items.length === 0) throw fail('has to be an array of private JWKs')
  const keys: NewSigningKey[] = []
  for (const [index, item] of items.entries()) {
    if (typeof item !== 'object' || item === null) throw fail(`has to be an array of private JWKs (item ${index})`)
    try {
      const jwk = item as JWK
      keys.push(await importPrivateKey({ ...jwk, kid: jwk.kid ?? (await calculateJwkThumbprint(jwk)) }))
    } catch (error) {
      const reason = error instanceof HoldfastError ? error.message : 'The key has to be a private JWK'
      throw fail(`item ${index}: ${reason}`)
    }
  }
  return keys
}

/**
 * Makes the first key the signing key. The previous signing key and the others verify. Revoked keys stay revoked.
 *
 * @param now - ISO 8601
 * @throws {HoldfastError} `option_invalid` if the first key was revoked, or a key has the name of a different one
 */
export async function adoptSigningKeys(pool: Pool, keys: readonly NewSigningKey[], now: string): Promise<void> {
  await pool.transaction(async (tx) => {
    await tx.execute(sql`lock table auth.signing_keys in share row exclusive mode`)
    for (const key of keys) {
      await insertKey(tx, { ...key, status: 'previous' }, now)
      await requireSame(tx, key)
    }
    const first = keys[0]?.kid
    const [row] = await tx.query<{ status: string }>(sql`select status from auth.signing_keys where kid = ${first}`)
    if (row?.status === 'current') return
    if (row?.status === 'revoked') throw optionInvalid('signingKeysPath', `the key ${first} was revoked`)
    await tx.execute(
      sql`update auth.signing_keys set status = 'previous', updated_at = ${now} where status = 'current'`,
    )
    await tx.execute(sql`update auth.signing_keys set status = 'current', updated_at = ${now} where kid = ${first}`)
  })
}

/** Refuses a different key under an existing name, because the old key would keep signing. */
async function requireSame(tx: Transaction, { kid, public_jwk: given }: NewSigningKey): Promise<void> {
  const [known] = await tx.query<{ public_jwk: JWK }>(sql`select public_jwk from auth.signing_keys where kid = ${kid}`)
  if (known && (await calculateJwkThumbprint(known.public_jwk)) === (await calculateJwkThumbprint(given))) return
  throw optionInvalid('signingKeysPath', `another key is called ${kid}: give the new one a kid of its own`)
}
