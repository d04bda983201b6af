import { HoldfastError } from '@holdfast/foundation'
import { sql, type Transaction } from '@holdfast/postgres'
import { validationFailed } from '../errors.ts'
import { JWKS_MAX_AGE_S } from '../limits.ts'
import { isoNow, type Store, violatedConstraint } from '../store.ts'
import type { NewSigningKey } from './signing-key-row.ts'
import type { SigningKeys } from './signing-keys.ts'

export type RotateSigningKeysNeeds = Store & { readonly keys: SigningKeys }

/**
 * Publishes a key before it signs, so that every client that caches our keys knows it by then.
 *
 * @throws {HoldfastError} `conflict` if a key has that name
 */
export async function addStandbyKey({ pool, clock, keys }: RotateSigningKeysNeeds, key: NewSigningKey): Promise<void> {
  const now = isoNow(clock)
  try {
    await pool.execute(sql`
      insert into auth.signing_keys (kid, algorithm, status, private_jwk, public_jwk, created_at, updated_at)
      values (
        ${key.kid}, ${key.algorithm}, 'standby', ${JSON.stringify(key.private_jwk)}::jsonb,
        ${JSON.stringify(key.public_jwk)}::jsonb, ${now}, ${now}
      )
    `)
  } catch (error) {
    if (violatedConstraint(error) === 'signing_keys_pkey') throw conflict('There is already a key of that name')
    throw error
  }
  await keys.reload()
}

/**
 * Promotes a standby key to the signing key. The previous key still verifies until it is revoked.
 *
 * @param input.atOnce - rotates even if clients may not know the key; those with cached keys reject its tokens until they fetch again
 * @throws {HoldfastError} `conflict` without a standby key, or if it was published less than twice the cache lifetime ago
 */
export async function rotateSigningKey(
  { pool, clock, keys }: RotateSigningKeysNeeds,
  input: { readonly kid: string | undefined; readonly atOnce: boolean },
): Promise<void> {
  const nowMs = clock.now()
  await pool.transaction(async (tx) => {
    await lockKeys(tx)
    const which = input.kid === undefined ? sql`true` : sql`kid = ${input.kid}`
    const [standby] = await tx.query<{ kid: string; created_at: Date }>(sql`
      select kid, created_at from auth.signing_keys where status = 'standby' and ${which} order by created_at, kid limit 1
    `)
    if (!standby) throw conflict('There is no such standby key')
    const waitS = Math.ceil(standby.created_at.getTime() / 1000 + 2 * JWKS_MAX_AGE_S - nowMs / 1000)
    if (waitS > 0 && !input.atOnce) {
      throw conflict(`Clients may not have seen this key before ${waitS} seconds from now`, {
        'retry-after': String(waitS),
      })
    }
    const now = new Date(nowMs).toISOString()
    await tx.execute(
      sql`update auth.signing_keys set status = 'previous', updated_at = ${now} where status = 'current'`,
    )
    await tx.execute(
      sql`update auth.signing_keys set status = 'current', updated_at = ${now} where kid = ${standby.kid}`,
    )
  })
  await keys.reload()
}

/**
 * Revokes a key. Its tokens are rejected here at once, and by other processes within moments.
 *
 * @throws {HoldfastError} `conflict` for the signing key, `validation_failed` for an unknown key
 */
export async function revokeSigningKey({ pool, clock, keys }: RotateSigningKeysNeeds, kid: string): Promise<void> {
  const now = isoNow(clock)
  await pool.transaction(async (tx) => {
    await lockKeys(tx)
    const [key] = await tx.query<{ status: string }>(sql`select status from auth.signing_keys where kid = ${kid}`)
    if (!key) throw validationFailed('There is no key of that name', 404)
    if (key.status === 'current') throw conflict('This key signs: rotate first')
    await tx.execute(sql`update auth.signing_keys set status = 'revoked', updated_at = ${now} where kid = ${kid}`)
  })
  await keys.reload()
}

async function lockKeys(tx: Transaction): Promise<void> {
  await tx.execute(sql`lock table auth.signing_keys in share row exclusive mode`)
}

function conflict(message: string, headers?: Readonly<Record<string, string>>): HoldfastError {
  return new HoldfastError('conflict', 409, message, headers === undefined ? {} : { headers })
}
