import { createHash, timingSafeEqual } from 'node:crypto'
import { createRemoteJWKSet, customFetch, decodeJwt, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Clock, JsonObject } from '@holdfast/foundation'
import { PROVIDER_METADATA_AGE_MS, PROVIDER_METADATA_MAX, PROVIDER_TIMEOUT_MS } from '../limits.ts'
import { badIdToken, providerUnreachable, unexpectedAudience } from './errors.ts'
import type { ExternalProvider, IdTokenIssuer } from './provider.ts'
import type { ProviderNetwork } from './provider-network.ts'

/** Accepted clock skew in seconds. */
const CLOCK_TOLERANCE_S = 30

/** Asymmetric signatures only. An app knows the client secret, so it could forge an HMAC with it. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/**
 * Verifies an ID token's signature, audience and times. The caller compares the nonce.
 *
 * @param accessToken - compared with `at_hash` if the token has one
 * @returns the claims
 * @throws {HoldfastError} `bad_jwt`, `unexpected_audience`; `unexpected_failure` if the keys cannot be fetched
 * @see OpenID Connect Core 1.0, section 3.1.3.7
 */
export type VerifyIdToken = (
  provider: ExternalProvider,
  idToken: string,
  accessToken: string | undefined,
) => Promise<JsonObject>

/** Creates a verifier that caches providers' keys and fetches them again for an unknown key id. */
export function createIdTokenVerifier(clock: Clock): VerifyIdToken {
  const keySets = new Map<string, JWTVerifyGetKey>()

  function keysOf(network: ProviderNetwork, uri: string): JWTVerifyGetKey {
    const known = keySets.get(uri)
    if (known) return known
    const keys = createRemoteJWKSet(new URL(uri), {
      cacheMaxAge: PROVIDER_METADATA_AGE_MS,
      timeoutDuration: PROVIDER_TIMEOUT_MS,
      [customFetch]: (url, init) => network.fetch(url, init),
    })
    keySets.set(uri, keys)
    if (keySets.size > PROVIDER_METADATA_MAX) keySets.delete(keySets.keys().next().value ?? uri)
    return keys
  }

  return async (provider, idToken, accessToken) => {
    const claimed = readIssuer(idToken)
    const issuer = await findIssuer(provider, claimed)
    if (!issuer) throw badIdToken(new Error(`${claimed} does not sign for ${provider.name}`))
    const keys = keysOf(provider.network, issuer.jwksUri)
    const claims = await verify({ idToken, keys, issuer: issuer.issuer, provider: provider.name, clock })
    const audience = [claims['aud'] ?? []].flat().map(String)
    const isForUs = provider.audiences.some((clientId) => audience.includes(clientId))
    if (!isForUs) throw unexpectedAudience(audience)
    const party = claims['azp']
    if (audience.length > 1 && typeof party === 'string' && !provider.audiences.includes(party)) {
      throw unexpectedAudience(audience)
    }
    if (accessToken !== undefined && typeof claims['at_hash'] === 'string') {
      if (!isHashOf(accessToken, claims['at_hash'], idToken)) throw badIdToken(new Error('at_hash differs'))
    }
    return claims
  }
}

/** Reads the claimed issuer without verification. @throws {HoldfastError} `bad_jwt` for an invalid token */
export function readIssuer(idToken: string): string {
  try {
    return decodeJwt(idToken).iss ?? ''
  } catch (error) {
    throw badIdToken(error)
  }
}

async function findIssuer(provider: ExternalProvider, claimed: string): Promise<IdTokenIssuer | undefined> {
  try {
    return await provider.findIssuer?.(claimed)
  } catch (error) {
    throw providerUnreachable(provider.name, error)
  }
}

async function verify(input: {
  readonly idToken: string
  readonly keys: JWTVerifyGetKey
  readonly issuer: string
  readonly provider: string
  readonly clock: Clock
}): Promise<JsonObject> {
  try {
    const { payload } = await jwtVerify(input.idToken, input.keys, {
      issuer: input.issuer,
      algorithms: ALGORITHMS,
      requiredClaims: ['sub', 'aud', 'exp', 'iat'],
      currentDate: new Date(input.clock.now()),
      clockTolerance: CLOCK_TOLERANCE_S,
    })
    return payload
  } catch (error) {
    throw isAboutTheToken(error) ? badIdToken(error) : providerUnreachable(input.provider, error)
  }
}

/** Returns whether the token is at fault. Other errors come from fetching the keys. */
function isAboutTheToken(error: unknown): boolean {
  const isFetching = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid
  return error instanceof errors.JOSEError && !isFetching && error.code !== 'ERR_JOSE_GENERIC'
}

/** Compares `at_hash`: the left half of the hash of the token's algorithm. @see OpenID Connect Core 1.0, section 3.1.3.6 */
function isHashOf(accessToken: string, expected: string, idToken: string): boolean {
  const header = JSON.parse(Buffer.from(idToken.split('.')[0] ?? '', 'base64url').toString()) as { alg?: string }
  const bits = /^(?:RS|PS|ES)(256|384|512)$/.exec(header.alg ?? '')?.[1] ?? '512'
  const hash = createHash(`sha${bits}`).update(accessToken).digest()
  const given = Buffer.from(expected, 'base64url')
  const half = hash.subarray(0, hash.length / 2)
  return given.length === half.length && timingSafeEqual(given, half)
}
