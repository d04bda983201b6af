import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, importJWK, type CryptoKey, type JWK } from 'jose'
import { type Clock, assert, defined } from '@holdfast/foundation'
import { type Pool, sql } from '@holdfast/postgres'

type SigningAlgorithm = 'ES256' | 'RS256'

/** A JSON Web Key Set as published. */
export interface Jwks {
  readonly keys: readonly JWK[]
}

/** The keys that sign and verify access tokens, read once. */
export interface SigningKeys {
  readonly current: { readonly kid: string; readonly algorithm: SigningAlgorithm; readonly privateKey: CryptoKey }
  /** @returns the public key, or `undefined` when `kid` is not a key of ours for that algorithm */
  verificationKey(kid: string, algorithm: SigningAlgorithm): CryptoKey | undefined
  readonly jwks: Jwks
  /** When the oldest key was made, in seconds since the epoch: the age of this installation. */
  readonly bornAtS: number
}

interface SigningKeyRow {
  readonly kid: string
  readonly algorithm: SigningAlgorithm
  readonly status: 'standby' | 'current' | 'previous' | 'revoked'
  readonly private_jwk: JWK
  readonly public_jwk: JWK
  readonly created_at: Date
}

/**
 * Reads the keys of `auth.signing_keys`, making the first one when there is none. Two servers that start at once agree on one.
 */
export async function openSigningKeys(pool: Pool, clock: Clock): Promise<SigningKeys> {
  let rows = await readKeys(pool)
  if (!rows.some((row) => row.status === 'current')) {
    await insertCurrentKey(pool, clock)
    rows = await readKeys(pool)
  }
  const current = defined(
    rows.find((row) => row.status === 'current'),
    'one key is current',
  )
  const live = rows.filter((row) => row.status !== 'revoked')
  const publicKeys = new Map<string, { algorithm: SigningAlgorithm; key: CryptoKey }>()
  for (const row of live) {
    publicKeys.set(row.kid, { algorithm: row.algorithm, key: await importKey(row.public_jwk, row.algorithm) })
  }
  return {
    current: {
      kid: current.kid,
      algorithm: current.algorithm,
      privateKey: await importKey(current.private_jwk, current.algorithm),
    },
    verificationKey(kid, algorithm) {
      const found = publicKeys.get(kid)
      return found?.algorithm === algorithm ? found.key : undefined
    },
    jwks: { keys: live.map((row) => row.public_jwk) },
    bornAtS: Math.floor(Math.min(...rows.map((row) => row.created_at.getTime())) / 1000),
  }
}

function readKeys(pool: Pool): Promise<SigningKeyRow[]> {
  return pool.query<SigningKeyRow>(sql`
    select kid, algorithm, status, private_jwk, public_jwk, created_at
      from auth.signing_keys
     order by created_at, kid
  `)
}

async function insertCurrentKey(pool: Pool, clock: Clock): Promise<void> {
  const pair = await generateKeyPair('ES256', { extractable: true })
  const kid = randomUUID()
  const published = { kid, alg: 'ES256', use: 'sig', key_ops: ['verify'] }
  const publicJwk = { ...(await exportJWK(pair.publicKey)), ...published }
  const privateJwk = { ...(await exportJWK(pair.privateKey)), kid, alg: 'ES256', use: 'sig', key_ops: ['sign'] }
  assert(!('d' in publicJwk), 'the private part is not published')
  const now = new Date(clock.now()).toISOString()
  await pool.execute(sql`
    insert into auth.signing_keys (kid, algorithm, status, private_jwk, public_jwk, created_at, updated_at)
    values (${kid}, 'ES256', 'current', ${JSON.stringify(privateJwk)}::jsonb, ${JSON.stringify(publicJwk)}::jsonb, ${now}, ${now})
    on conflict (status) where status = 'current' do nothing
  `)
}

async function importKey(jwk: JWK, algorithm: SigningAlgorithm): Promise<CryptoKey> {
  const key = await importJWK(jwk, algorithm)
  assert(!(key instanceof Uint8Array), 'signing keys are asymmetric')
  return key
}
