import { importJWK, type CryptoKey, type JWK } from 'jose'
import { HoldfastError } from '@holdfast/foundation'
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from './signing-key-row.ts'

/** Minimum HMAC secret length in bytes; shorter secrets can be brute-forced. */
const LENGTH_MIN = 32

/** The option `jwtSecret`: a text, a JWK or a JWK set, as in PostgREST. */
export interface JwtSecret {
  /** Bytes that sign API keys: the text, or the first symmetric key. `undefined` with public keys only. */
  readonly signing: Uint8Array | undefined
  /** Keys that verify tokens: the text, or all JWKs. */
  readonly keys: readonly SecretKey[]
}

/** A secret that can sign. */
export type SigningSecret = JwtSecret & { readonly signing: Uint8Array }

export type SecretKey =
  | { readonly algorithm: 'HS256'; readonly kid: string | undefined; readonly secret: Uint8Array }
  | { readonly algorithm: SigningAlgorithm; readonly kid: string | undefined; readonly jwk: JWK }

/** @throws {HoldfastError} `jwt_secret_invalid`; the message does not reveal the secret */
export function parseJwtSecret(text: string): JwtSecret {
  const jwks = parseJwks(text)
  if (!jwks) {
    const secret = requireLong(new TextEncoder().encode(text), 'The JWT secret')
    return { signing: secret, keys: [{ algorithm: 'HS256', kid: undefined, secret }] }
  }
  const keys = jwks.map(toSecretKey)
  const symmetric = keys.find((key) => key.algorithm === 'HS256')
  return { signing: symmetric?.secret, keys }
}

/** Parses a secret that must be able to sign. @throws {HoldfastError} `jwt_secret_invalid` */
export function parseSigningSecret(text: string): SigningSecret {
  const { signing, keys } = parseJwtSecret(text)
  if (signing) return { signing, keys }
  throw invalid('The JWT secret has no symmetric key.', 'Add a JWK of the type oct to the set.')
}

/** Returns the keys of a JWK set or a single JWK; `undefined` for other text. */
function parseJwks(text: string): readonly unknown[] | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  const { keys, kty } = parsed as { readonly keys?: unknown; readonly kty?: unknown }
  if (Array.isArray(keys) && keys.length > 0) return keys
  return typeof kty === 'string' ? [parsed] : undefined
}

function toSecretKey(item: unknown, index: number): SecretKey {
  const what = `Key ${index + 1} of the JWT secret`
  const jwk = (typeof item === 'object' && item !== null ? item : {}) as JWK
  const { kid, alg } = jwk
  const algorithm = algorithmOf(jwk)
  if (algorithm === undefined || (alg !== undefined && alg !== algorithm)) {
    throw invalid(`${what} is for none of HS256, ${SIGNING_ALGORITHMS.join(', ')}.`, 'Use an oct, RSA or P-256 key.')
  }
  if (algorithm !== 'HS256') return { algorithm, kid, jwk }
  return { algorithm, kid, secret: requireLong(Buffer.from(jwk.k ?? '', 'base64url'), what) }
}

function algorithmOf({ kty, crv }: JWK): 'HS256' | SigningAlgorithm | undefined {
  if (kty === 'oct') return 'HS256'
  if (kty === 'RSA') return 'RS256'
  return kty === 'EC' && crv === 'P-256' ? 'ES256' : undefined
}

function requireLong(secret: Uint8Array, what: string): Uint8Array {
  if (secret.length >= LENGTH_MIN) return secret
  throw invalid(
    `${what} is shorter than ${LENGTH_MIN} characters.`,
    'Set a longer one, or none: then Holdfast makes one.',
  )
}

function invalid(message: string, hint: string): HoldfastError {
  return new HoldfastError('jwt_secret_invalid', 500, message, { hint })
}

/** A key that verifies tokens. */
export interface VerificationKey {
  readonly algorithm: 'HS256' | SigningAlgorithm
  readonly kid: string | undefined
  readonly key: CryptoKey | Uint8Array
}

/** @throws {HoldfastError} `jwt_secret_invalid` for a JWK that is not a public key */
export function importVerificationKeys(keys: readonly SecretKey[]): Promise<readonly VerificationKey[]> {
  return Promise.all(
    keys.map(async (key, index): Promise<VerificationKey> => {
      const { algorithm, kid } = key
      if (key.algorithm === 'HS256') return { algorithm, kid, key: key.secret }
      const { kty, crv, x, y, n, e } = key.jwk
      try {
        // Imports only the public key. `use`, `key_ops` and private members are ignored.
        const members = Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined)
        return { algorithm, kid, key: await importJWK(Object.fromEntries(members) as unknown as JWK, algorithm) }
      } catch {
        throw invalid(
          `Key ${index + 1} of the JWT secret cannot be read.`,
          'It has to be a JWK of an RSA or a P-256 key.',
        )
      }
    }),
  )
}
