import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose'
import { type Clock, HoldfastError, type Logger } from '@holdfast/foundation'
import { badJwt, foreignAudience, tokenExpired, roleRefused } from '../errors.ts'
import { createProviderNetwork, type ProviderNetwork } from '../external/provider-network.ts'
import { SUBJECT_CHARS_MAX, TOKEN_BYTES_MAX, VERIFIED_TOKENS_MAX } from '../limits.ts'
import { checkClaims } from '../tokens/check-claims.ts'
import type { TokenClaims } from '../tokens/claims.ts'
import { createIssuerKeys, type IssuerKeys } from './issuer-keys.ts'
import { type ThirdPartyIssuer, withoutSlash } from './issuers.ts'

/** Asymmetric signatures only. Anyone could forge an HMAC with a published key. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** Access and ID tokens. Issuers also sign logout tokens and security events with the same keys. */
const TYPES = new Set(['jwt', 'at+jwt', 'application/at+jwt'])

/** Headers that contain or point to a key. */
const HEADERS_REFUSED = ['jku', 'jwk', 'x5u', 'x5c', 'crit']

/** Accepted skew of an issuer's clock, in seconds. */
const CLOCK_TOLERANCE_S = 30

/** Verifies tokens of third-party issuers. */
export interface ThirdPartyTokens extends Disposable {
  /** Returns whether these claims were returned by {@link ThirdPartyTokens.verify}. The claims' content does not matter. */
  isTheirs(claims: Readonly<Record<string, unknown>>): boolean
  /**
   * Verifies a token of a configured issuer with that issuer's keys only.
   *
   * @returns `undefined` for a token of another issuer, or one signed with a secret
   * @throws {HoldfastError} `bad_jwt`, `token_expired`, `foreign_audience`, `token_role_refused`, `issuer_unavailable`
   */
  verify(token: string): Promise<TokenClaims> | undefined
}

export interface ThirdPartyTokensOptions {
  readonly issuers: readonly ThirdPartyIssuer[]
  readonly isRefusedRole: (role: string) => boolean
  /** Increases whenever the refused roles change. Default: constant. */
  readonly rolesGeneration?: () => number
  readonly clock: Clock
  readonly logger: Logger
  /** Replaces the network in tests. */
  readonly openNetwork?: (home: string, closing: AbortSignal) => Pick<ProviderNetwork, 'getJson'>
}

interface Trusted {
  readonly issuer: ThirdPartyIssuer
  readonly keys: IssuerKeys
}

interface Verified {
  readonly claims: TokenClaims
  readonly trusted: Trusted
  /** Generation of keys and roles at verification. */
  readonly generation: number
}

/** @returns `undefined` if no issuer is configured */
export function createThirdPartyTokens(options: ThirdPartyTokensOptions): ThirdPartyTokens | undefined {
  const { issuers, clock, rolesGeneration = () => 0 } = options
  if (issuers.length === 0) return undefined
  const closing = new AbortController()
  const trusted = trustedByUrl(options, closing.signal)
  /** Verified tokens, until they expire or their issuer's keys change. */
  const verified = new Map<string, Verified>()
  const theirs = new WeakSet<object>()
  const nowS = (): number => Math.floor(clock.now() / 1000)
  // Both only increase, so their sum changes with either.
  const generationOf = ({ keys }: Trusted): number => keys.generation + rolesGeneration()

  const verifyWith = async (by: Trusted, token: string): Promise<TokenClaims> => {
    const generation = generationOf(by)
    const claims = toClaims(options, by.issuer, await verifySignature(by.keys, token, clock), nowS())
    theirs.add(claims)
    if (generationOf(by) !== generation) return claims
    verified.set(token, { claims, trusted: by, generation })
    if (verified.size > VERIFIED_TOKENS_MAX) verified.delete(verified.keys().next().value ?? token)
    return claims
  }
  const isCurrent = ({ claims, trusted: by, generation }: Verified): boolean =>
    by.keys.isUsable() && generation === generationOf(by) && !isExpired(claims, nowS())

  return {
    isTheirs: (claims) => theirs.has(claims),
    verify(token) {
      const known = verified.get(token)
      if (known) {
        verified.delete(token)
        if (isCurrent(known)) {
          verified.set(token, known)
          return Promise.resolve(known.claims)
        }
      }
      const by = findIssuer(trusted, token)
      return by && verifyWith(by, token)
    },
    [Symbol.dispose]: () => closing.abort(),
  }
}

function trustedByUrl(options: ThirdPartyTokensOptions, closing: AbortSignal): ReadonlyMap<string, Trusted> {
  const { issuers, clock, logger, openNetwork = createProviderNetwork } = options
  return new Map(
    issuers.map((issuer): [string, Trusted] => {
      const network = openNetwork(issuer.url, closing)
      return [issuer.url, { issuer, keys: createIssuerKeys({ issuer, network, clock, logger }) }]
    }),
  )
}

/** Selects the issuer from the unverified token. Nothing else read here is trusted. */
function findIssuer(trusted: ReadonlyMap<string, Trusted>, token: string): Trusted | undefined {
  if (token.length > TOKEN_BYTES_MAX) return undefined
  try {
    const { iss } = decodeJwt(token)
    const found = typeof iss === 'string' ? trusted.get(withoutSlash(iss)) : undefined
    // A token signed with the project's secret is the project's own, whatever issuer it names.
    return found && !String(decodeProtectedHeader(token).alg).startsWith('HS') ? found : undefined
  } catch {
    return undefined
  }
}

async function verifySignature(keys: IssuerKeys, token: string, clock: Clock): Promise<JWTPayload> {
  try {
    const header = decodeProtectedHeader(token)
    const { alg, typ } = header
    if (typeof alg !== 'string' || !ALGORITHMS.includes(alg)) throw badJwt()
    if (typ !== undefined && !TYPES.has(String(typ).toLowerCase())) throw badJwt()
    if (HEADERS_REFUSED.some((name) => Object.hasOwn(header, name))) throw badJwt()
    const found = await keys.find({ ...header, alg })
    if (!found) throw badJwt()
    const { payload } = await jwtVerify(token, found.key, {
      algorithms: [alg],
      issuer: found.issuer,
      requiredClaims: ['sub', 'exp'],
      currentDate: new Date(clock.now()),
      clockTolerance: CLOCK_TOLERANCE_S,
    })
    return payload
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw tokenExpired()
    if (error instanceof errors.JOSEError || error instanceof TypeError) throw badJwt(error)
    throw error
  }
}

function toClaims(
  { isRefusedRole }: ThirdPartyTokensOptions,
  issuer: ThirdPartyIssuer,
  payload: JWTPayload,
  nowS: number,
): TokenClaims {
  const { sub, role } = payload
  // The audience is checked below, because Cognito's access tokens store it in another claim.
  checkClaims({ ...payload, aud: undefined }, nowS, [])
  if (isExpired(payload, nowS)) throw tokenExpired()
  if (typeof sub !== 'string' || sub === '' || sub.length > SUBJECT_CHARS_MAX) throw badJwt()
  if (!isForAudience(payload, issuer.audiences)) throw foreignAudience()
  if (typeof role !== 'string' || isRefusedRole(role)) throw roleNotAccepted(role)
  return payload as TokenClaims
}

function isExpired({ exp }: { readonly exp?: number | undefined }, nowS: number): boolean {
  return exp === undefined || exp <= nowS
}

/** Checks the audience. Cognito's access tokens have no `aud` and name the app as `client_id`. */
function isForAudience(payload: JWTPayload, accepted: readonly string[]): boolean {
  if (accepted.length === 0) return true
  const named: readonly unknown[] = [payload.aud ?? payload['client_id']].flat()
  return named.some((one) => typeof one === 'string' && accepted.includes(one))
}

/** The token is valid, but its role is not permitted here. */
function roleNotAccepted(role: unknown): HoldfastError {
  const message =
    role === undefined
      ? 'The token names no role: let its issuer add the claim `role` with the value `authenticated`'
      : 'The role of the token is not accepted from its issuer'
  return roleRefused(message)
}
