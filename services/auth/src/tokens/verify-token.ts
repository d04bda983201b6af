import { decodeProtectedHeader, errors, jwtVerify, type JWTPayload } from 'jose'
import type { Clock } from '@holdfast/foundation'
import { badJwt, foreignAudience, tokenExpired } from '../errors.ts'
import { TOKEN_BYTES_MAX, VERIFIED_TOKENS_MAX } from '../limits.ts'
import { isForAudience } from './audience.ts'
import type { TokenClaims } from './claims.ts'
import type { SigningKeys } from './signing-keys.ts'

/** @throws {HoldfastError} `bad_jwt`, `token_expired` or `foreign_audience`, all 401 */
export type VerifyToken = (token: string) => Promise<TokenClaims>

export interface TokenVerifierOptions {
  readonly keys: SigningKeys
  /** The secret of HS256 tokens: API keys and what older projects signed. */
  readonly jwtSecret: string
  /** What a text claims that is an API key of the form without a signature; `undefined` for anything else. */
  readonly claimsOfOpaqueKey: (text: string) => TokenClaims | undefined
  readonly isRefusedRole: (role: string) => boolean
  /** As the option `jwtAudiences` has them. */
  readonly audiences: readonly string[]
  readonly clock: Clock
}

/** A header may say these; anything that points to a key or extends the format is refused, whether we would follow it or not. */
const HEADERS_ALLOWED = new Set(['alg', 'kid', 'typ'])

/** Roles whose keys may live without an end. */
const KEY_ROLES = new Set(['anon', 'service_role'])

/**
 * The one place that decides whether a token is genuine. The algorithm chooses the kind of key, never the other way round: HS256 is
 * verified with the secret only, ES256 and RS256 only with a key of ours that has that `kid` and was made for that algorithm.
 *
 * What was verified is remembered until it expires, because every REST request brings the same token again.
 */
export function createTokenVerifier(options: TokenVerifierOptions): VerifyToken {
  const { keys, claimsOfOpaqueKey, isRefusedRole, audiences, clock } = options
  const secret = new TextEncoder().encode(options.jwtSecret)
  const verified = new Map<string, TokenClaims>()
  let generation = keys.generation

  return async (token) => {
    if (generation !== keys.generation) {
      generation = keys.generation
      verified.clear()
    }
    const key = claimsOfOpaqueKey(token)
    if (key) {
      requireUnexpired(key)
      return key
    }
    const known = verified.get(token)
    if (known) {
      verified.delete(token)
      requireUnexpired(known)
      verified.set(token, known)
      return known
    }
    const before = keys.generation
    const claims = parseClaims(await verifySignature(token))
    // Keys that changed meanwhile may have taken this one out of use.
    if (keys.generation !== before) return claims
    verified.set(token, claims)
    if (verified.size > VERIFIED_TOKENS_MAX) verified.delete(verified.keys().next().value ?? token)
    return claims
  }

  async function verifySignature(token: string): Promise<JWTPayload> {
    if (typeof token !== 'string' || token.length > TOKEN_BYTES_MAX) throw badJwt()
    if (!hasCanonicalSignature(token)) throw badJwt()
    try {
      const header = decodeProtectedHeader(token)
      const { alg, kid } = header
      if (Object.keys(header).some((name) => !HEADERS_ALLOWED.has(name))) throw badJwt()
      if (header.typ !== undefined && String(header.typ).toUpperCase() !== 'JWT') throw badJwt()
      if (alg !== 'HS256' && alg !== 'ES256' && alg !== 'RS256') throw badJwt()
      const key = alg === 'HS256' ? secret : typeof kid === 'string' ? keys.verificationKey(kid, alg) : undefined
      if (key === undefined) throw badJwt()
      const { payload } = await jwtVerify(token, key, { algorithms: [alg], currentDate: new Date(clock.now()) })
      return payload
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw tokenExpired()
      if (error instanceof errors.JOSEError || error instanceof TypeError) throw badJwt(error)
      throw error
    }
  }

  function parseClaims(payload: JWTPayload): TokenClaims {
    const role = payload['role']
    if (role !== undefined && (typeof role !== 'string' || isRefusedRole(role))) throw badJwt()
    if (payload.sub !== undefined && typeof payload.sub !== 'string') throw badJwt()
    const isKey = payload.sub === undefined && typeof role === 'string' && KEY_ROLES.has(role)
    if (payload.exp === undefined && !isKey) throw badJwt()
    if (!isForAudience(payload.aud, audiences)) throw foreignAudience()
    return payload as TokenClaims
  }

  function requireUnexpired(claims: TokenClaims): void {
    if (claims.exp !== undefined && claims.exp <= Math.floor(clock.now() / 1000)) throw tokenExpired()
  }
}

/** The last character of a signature has bits that mean nothing. With any but the usual ones, one token would have many spellings. */
function hasCanonicalSignature(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1)
  return Buffer.from(signature, 'base64url').toString('base64url') === signature
}
