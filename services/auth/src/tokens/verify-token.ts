import { compactVerify, type CryptoKey, decodeProtectedHeader, errors, type ProtectedHeaderParameters } from 'jose'
import type { Clock } from '@holdfast/foundation'
import { badClaim, badJwt, roleRefused, tokenExpired } from '../errors.ts'
import { TOKEN_BYTES_MAX, VERIFIED_TOKENS_MAX } from '../limits.ts'
import { checkClaims } from './check-claims.ts'
import type { TokenClaims } from './claims.ts'
import type { VerificationKey } from './jwt-secret.ts'
import type { SigningKeys } from './signing-keys.ts'

/** @throws {HoldfastError} `bad_jwt`, `token_expired`, `foreign_audience` or `token_role_refused`, all 401 */
export type VerifyToken = (token: string) => Promise<TokenClaims>

export interface TokenVerifierOptions {
  readonly keys: SigningKeys
  /** Keys of the option `jwtSecret`, for API keys and tokens signed by the project's other servers. */
  readonly secretKeys: readonly VerificationKey[]
  /** Records which of our keys signed the token of these claims. */
  readonly signedBy: Pick<WeakMap<TokenClaims, string>, 'set'>
  /** Returns the claims of an API key in the format without signature; `undefined` for anything else. */
  readonly claimsOfOpaqueKey: (text: string) => TokenClaims | undefined
  readonly isRefusedRole: (role: string) => boolean
  /** Increases whenever the refused roles change. */
  readonly rolesGeneration: () => number
  /** From the option `jwtAudiences`. */
  readonly audiences: readonly string[]
  /** Whether symmetrically signed tokens need an `exp` too; others always do. */
  readonly expRequired: boolean
  readonly clock: Clock
}

/** Allowed header fields. Fields that point to a key or extend the format are refused, even those we would ignore. */
const HEADERS_ALLOWED = new Set(['alg', 'kid', 'typ'])

const ALGORITHMS = ['HS256', 'ES256', 'RS256'] as const
type Algorithm = (typeof ALGORITHMS)[number]

/** Roles of API keys, which need no expiry. */
const KEY_ROLES = new Set(['anon', 'service_role'])

/**
 * Creates the verifier of all tokens. The algorithm selects the kind of key, never the reverse: HS256 is verified with secrets only, and
 * ES256 and RS256 only with a key of that `kid` and algorithm.
 *
 * Verified tokens are cached until they expire, because every REST request sends the same token again.
 */
export function createTokenVerifier(options: TokenVerifierOptions): VerifyToken {
  const { keys, claimsOfOpaqueKey, clock } = options
  const verified = new Map<string, TokenClaims>()
  // Both only increase, so their sum changes with either.
  const generationNow = (): number => keys.generation + options.rolesGeneration()
  let generation = generationNow()

  return async (token) => {
    const before = generationNow()
    if (generation !== before) {
      generation = before
      verified.clear()
    }
    const nowS = Math.floor(clock.now() / 1000)
    const key = claimsOfOpaqueKey(token)
    if (key) return requireUnexpired(key, nowS)
    const known = verified.get(token)
    if (known) {
      verified.delete(token)
      requireUnexpired(known, nowS)
      verified.set(token, known)
      return known
    }
    const claims = await verifyNew(options, token, nowS)
    // A concurrent change of keys or roles may have invalidated this token, so it is not cached.
    if (generationNow() !== before) return claims
    verified.set(token, claims)
    if (verified.size > VERIFIED_TOKENS_MAX) verified.delete(verified.keys().next().value ?? token)
    return claims
  }
}

async function verifyNew(options: TokenVerifierOptions, token: string, nowS: number): Promise<TokenClaims> {
  const { claims, algorithm, kid } = await verifySignature(options, token)
  const { role, sub, exp } = claims
  if (role !== undefined && (typeof role !== 'string' || options.isRefusedRole(role))) throw roleRefused()
  if (sub !== undefined && typeof sub !== 'string') throw badJwt()
  checkClaims(claims, nowS, options.audiences)
  const isKey = sub === undefined && typeof role === 'string' && KEY_ROLES.has(role)
  const needsEnd = algorithm !== 'HS256' || options.expRequired
  if ((exp === undefined || exp === null) && needsEnd && !isKey) throw badClaim('exp_missing', 'the token has no exp')
  if (kid !== undefined) options.signedBy.set(claims as TokenClaims, kid)
  return claims as TokenClaims
}

interface Signed {
  readonly claims: Readonly<Record<string, unknown>>
  readonly algorithm: Algorithm
  /** Id of the key, if it is one of ours and not from `jwtSecret`. */
  readonly kid: string | undefined
}

async function verifySignature(options: TokenVerifierOptions, token: string): Promise<Signed> {
  if (typeof token !== 'string' || token.length > TOKEN_BYTES_MAX) throw badJwt()
  if (!hasCanonicalSignature(token)) throw badJwt()
  try {
    const header = decodeProtectedHeader(token)
    const algorithm = ALGORITHMS.find((name) => name === header.alg)
    if (Object.keys(header).some((name) => !HEADERS_ALLOWED.has(name))) throw badJwt()
    if (header.typ !== undefined && String(header.typ).toUpperCase() !== 'JWT') throw badJwt()
    if (algorithm === undefined) throw badJwt()
    const own = ownKey(options, algorithm, header)
    const { payload, key } = await verifyWithAny(keysFor(options, algorithm, header, own), token, algorithm)
    const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload))
    if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) throw badJwt()
    return { claims: claims as Signed['claims'], algorithm, kid: key === own ? header.kid : undefined }
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof SyntaxError) {
      throw badJwt(error)
    }
    throw error
  }
}

function ownKey(
  { keys }: TokenVerifierOptions,
  algorithm: Algorithm,
  { kid }: ProtectedHeaderParameters,
): CryptoKey | undefined {
  return algorithm === 'HS256' || typeof kid !== 'string' ? undefined : keys.verificationKey(kid, algorithm)
}

/** Returns candidate keys. Secrets, and option keys without a `kid`, are tried for every token, because HS256 tokens rarely name a key. */
function keysFor(
  { secretKeys }: TokenVerifierOptions,
  algorithm: Algorithm,
  { kid }: ProtectedHeaderParameters,
  own: CryptoKey | undefined,
): readonly (CryptoKey | Uint8Array)[] {
  const isMeant = (key: VerificationKey): boolean =>
    key.algorithm === algorithm && (algorithm === 'HS256' || key.kid === undefined || key.kid === kid)
  const configured = secretKeys.filter(isMeant).map(({ key }) => key)
  return own ? [own, ...configured] : configured
}

async function verifyWithAny(
  keys: readonly (CryptoKey | Uint8Array)[],
  token: string,
  algorithm: Algorithm,
): Promise<{ readonly payload: Uint8Array; readonly key: CryptoKey | Uint8Array }> {
  let failure: unknown = badJwt()
  for (const key of keys) {
    try {
      return { payload: (await compactVerify(token, key, { algorithms: [algorithm] })).payload, key }
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
      failure = error
    }
  }
  throw failure
}

function requireUnexpired(claims: TokenClaims, nowS: number): TokenClaims {
  if (typeof claims.exp === 'number' && claims.exp <= nowS) throw tokenExpired()
  return claims
}

/** Rejects signatures with nonzero padding bits in the last character, which would give one token several spellings. */
function hasCanonicalSignature(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1)
  return Buffer.from(signature, 'base64url').toString('base64url') === signature
}
