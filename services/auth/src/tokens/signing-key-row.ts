import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { assert } from '@holdfast/foundation'
import { type Queryable, sql } from '@holdfast/postgres'
import { validationFailed } from '../errors.ts'

export const SIGNING_ALGORITHMS = ['ES256', 'RS256'] as const

export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number]

/** `standby` is published before it signs, `current` signs, `previous` still verifies, `revoked` does neither. */
export type SigningKeyStatus = 'standby' | 'current' | 'previous' | 'revoked'

export interface SigningKeyRow {
  readonly kid: string
  readonly algorithm: SigningAlgorithm
  readonly status: SigningKeyStatus
  readonly private_jwk: JWK
  readonly public_jwk: JWK
  readonly created_at: Date
  readonly updated_at: Date
}

/** A key not yet in the database. */
export type NewSigningKey = Pick<SigningKeyRow, 'kid' | 'algorithm' | 'private_jwk' | 'public_jwk'>

const RSA_MODULUS_BITS_MIN = 2048

export function readKeys(db: Queryable): Promise<SigningKeyRow[]> {
  return db.query<SigningKeyRow>(sql`
    select kid, algorithm, status, private_jwk, public_jwk, created_at, updated_at
      from auth.signing_keys
     order by created_at, kid
  `)
}

export async function createKey(algorithm: SigningAlgorithm): Promise<NewSigningKey> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true, modulusLength: RSA_MODULUS_BITS_MIN })
  return toKey(await exportJWK(privateKey), algorithm, randomUUID())
}

/**
 * Imports a key of another project, so that tokens it signed stay valid here.
 *
 * @throws {HoldfastError} `validation_failed` unless it is a private JWK for ES256 or RS256
 */
export async function importPrivateKey(jwk: JWK): Promise<NewSigningKey> {
  const algorithm = jwk.kty === 'EC' && jwk.crv === 'P-256' ? 'ES256' : jwk.kty === 'RSA' ? 'RS256' : undefined
  if (algorithm === undefined || jwk.d === undefined || (jwk.alg !== undefined && jwk.alg !== algorithm)) {
    throw validationFailed('The key has to be a private JWK for ES256 or RS256')
  }
  if (algorithm === 'RS256' && Buffer.from(jwk.n ?? '', 'base64url').length * 8 < RSA_MODULUS_BITS_MIN) {
    throw validationFailed(`An RSA key needs at least ${RSA_MODULUS_BITS_MIN} bits`)
  }
  try {
    // A key's usage fields (`key_ops`, `use`, `ext`) are informational, and may exceed a private key's abilities.
    const key = await importJWK(membersOf(jwk, PRIVATE_MEMBERS), algorithm, { extractable: true })
    assert(!(key instanceof Uint8Array), 'private keys are asymmetric')
    return toKey(await exportJWK(key), algorithm, jwk.kid ?? randomUUID())
  } catch (error) {
    throw error instanceof Error && error.name !== 'AssertionError'
      ? validationFailed('The key has to be a private JWK for ES256 or RS256')
      : error
  }
}

/** Allowlist of public members, so that private members of future key types are not published. */
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const
const PRIVATE_MEMBERS = [...PUBLIC_MEMBERS, 'd', 'p', 'q', 'dp', 'dq', 'qi'] as const

function membersOf(jwk: JWK, names: readonly (typeof PRIVATE_MEMBERS)[number][]): JWK {
  return Object.fromEntries(names.flatMap((name) => (jwk[name] === undefined ? [] : [[name, jwk[name]]]))) as JWK
}

function toKey(exported: JWK, algorithm: SigningAlgorithm, kid: string): NewSigningKey {
  const shared = { kid, alg: algorithm, use: 'sig' }
  const published: JWK = { ...membersOf(exported, PUBLIC_MEMBERS), ...shared, key_ops: ['verify'] }
  assert(!('d' in published), 'the private part is not published')
  return { kid, algorithm, private_jwk: { ...exported, ...shared, key_ops: ['sign'] }, public_jwk: published }
}

/** Inserts a key unless a concurrent request added one: names are unique, and only one key signs. @param now - ISO 8601 */
export async function insertKey(
  db: Queryable,
  key: NewSigningKey & Pick<SigningKeyRow, 'status'>,
  now: string,
): Promise<void> {
  await db.execute(sql`
    insert into auth.signing_keys (kid, algorithm, status, private_jwk, public_jwk, created_at, updated_at)
    values (
      ${key.kid}, ${key.algorithm}, ${key.status}, ${JSON.stringify(key.private_jwk)}::jsonb,
      ${JSON.stringify(key.public_jwk)}::jsonb, ${now}, ${now}
    )
    on conflict do nothing
  `)
}
