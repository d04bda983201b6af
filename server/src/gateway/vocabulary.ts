import { HoldfastError } from '@holdfast/foundation'
import { decodeProtectedHeader } from 'jose'

/** A service's wording of gateway refusals. Its own error rendering formats them. */
export interface Vocabulary {
  readonly tokenMissing: () => HoldfastError
  /** The token's header is present but empty. Default: as if it were absent. */
  readonly tokenEmpty?: () => HoldfastError
  /** @param token - as sent; errors may reveal only its form */
  readonly tokenInvalid: (cause: HoldfastError, token: string) => HoldfastError
  readonly tokenExpired: (cause: HoldfastError) => HoldfastError
  /** The token is genuine, but has another audience. */
  readonly tokenForOthers: (cause: HoldfastError) => HoldfastError
  /** The token is genuine, but its session has ended or its account is banned or deleted. */
  readonly sessionEnded: (cause: HoldfastError) => HoldfastError
  /** The token is genuine, but does not name a role permitted here. */
  readonly roleRefused: (cause: HoldfastError) => HoldfastError
  /** The keys of the token's issuer are temporarily unavailable. */
  readonly issuerUnavailable: (cause: HoldfastError) => HoldfastError
  /** Postgres is temporarily unavailable. */
  readonly unavailable: () => HoldfastError
}

/** Retry delay in seconds while Postgres is unavailable. */
const RETRY_AFTER = { 'retry-after': '1' }

/** Retry delay in seconds while an issuer's keys are unavailable. */
const ISSUER_RETRY_AFTER = { 'retry-after': '5' }

const UNSECURED = "JWT is unsecured but expected 'alg' was not 'none'"

/** @returns the algorithm from a token's header, genuine or not; `undefined` if the header is unreadable */
function algorithmOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).alg
  } catch {
    return undefined
  }
}

function undecodable(cause: HoldfastError | undefined, message: string, detail?: string): HoldfastError {
  const description = `Bearer error="invalid_token", error_description="${message}"`
  return new HoldfastError('PGRST301', 401, message, { cause, detail, headers: { 'www-authenticate': description } })
}

function invalidClaims(cause: HoldfastError, message: string, detail?: string): HoldfastError {
  const description = `Bearer error="invalid_token", error_description="${message}"`
  return new HoldfastError('PGRST303', 401, message, { cause, detail, headers: { 'www-authenticate': description } })
}

/** PostgREST's messages for the claims it checks, by the auth service's reason. */
const CLAIM_MESSAGES: Readonly<Record<string, string>> = {
  exp_missing: "The JWT has no 'exp' claim",
  exp_not_number: "The JWT 'exp' claim must be a number",
  nbf_not_number: "The JWT 'nbf' claim must be a number",
  nbf_future: 'JWT not yet valid',
  iat_not_number: "The JWT 'iat' claim must be a number",
  iat_future: 'JWT issued at future',
  aud_malformed: "The JWT 'aud' claim must be a string or an array of strings",
}

/** @see PostgREST reference, "Errors", group 3 */
export const restVocabulary: Vocabulary = {
  tokenMissing: () =>
    new HoldfastError('PGRST302', 401, 'Anonymous access is disabled', { headers: { 'www-authenticate': 'Bearer' } }),
  tokenEmpty: () => undecodable(undefined, 'Empty JWT is sent in Authorization header'),
  tokenInvalid: (cause, token) => {
    const claims = CLAIM_MESSAGES[cause.detail ?? '']
    if (claims !== undefined) return invalidClaims(cause, claims)
    const parts = token.split('.').length
    if (parts !== 3) return undecodable(cause, `Expected 3 parts in JWT; got ${parts}`)
    const algorithm = algorithmOf(token)
    if (algorithm === undefined) return undecodable(cause, 'JWT cryptographic operation failed')
    return algorithm === 'none'
      ? undecodable(cause, 'Wrong or unsupported encoding algorithm', UNSECURED)
      : undecodable(cause, 'No suitable key or wrong key type', 'None of the keys was able to decode the JWT')
  },
  tokenExpired: (cause) => invalidClaims(cause, 'JWT expired'),
  tokenForOthers: (cause) => invalidClaims(cause, 'JWT not in audience'),
  // GoTrue's error code, as in its own API.
  sessionEnded: (cause) => invalidClaims(cause, cause.message, cause.code),
  roleRefused: (cause) => invalidClaims(cause, cause.message),
  issuerUnavailable: (cause) =>
    new HoldfastError('PGRST300', 503, cause.message, { cause, headers: ISSUER_RETRY_AFTER }),
  unavailable: () =>
    new HoldfastError('PGRST001', 503, 'Database client error. Retrying the connection.', { headers: RETRY_AFTER }),
}

/** GoTrue's wording. The auth service throws and renders `bad_jwt` itself. */
export const authVocabulary: Vocabulary = {
  tokenMissing: () => new HoldfastError('no_authorization', 401, 'This endpoint requires a valid Bearer token'),
  tokenInvalid: (cause) => cause,
  tokenExpired: (cause) => cause,
  tokenForOthers: (cause) => new HoldfastError('bad_jwt', 401, cause.message, { cause }),
  sessionEnded: (cause) => cause,
  roleRefused: (cause) => cause,
  issuerUnavailable: (cause) => cause,
  unavailable: () =>
    new HoldfastError('unexpected_failure', 503, 'The database is not available', { headers: RETRY_AFTER }),
}

/** The wording of Supabase's storage service: every invalid token is `AccessDenied`, with the message of its token library. */
export const storageVocabulary: Vocabulary = {
  tokenMissing: () => new HoldfastError('AccessDenied', 403, 'Invalid Compact JWS'),
  tokenInvalid: (cause, token) =>
    storageRefusal(cause, token.split('.').length === 3 ? 'signature verification failed' : 'Invalid Compact JWS'),
  tokenExpired: (cause) => storageRefusal(cause, '"exp" claim timestamp check failed'),
  tokenForOthers: (cause) => storageRefusal(cause, 'unexpected "aud" claim value'),
  sessionEnded: (cause) => storageRefusal(cause, cause.message),
  roleRefused: (cause) => storageRefusal(cause, cause.message),
  issuerUnavailable: (cause) =>
    new HoldfastError('AccessDenied', 503, cause.message, { cause, headers: ISSUER_RETRY_AFTER }),
  unavailable: () =>
    new HoldfastError('DatabaseTimeout', 544, 'The connection to the database timed out', { headers: RETRY_AFTER }),
}

function storageRefusal(cause: HoldfastError, message: string): HoldfastError {
  return new HoldfastError('AccessDenied', 403, message, { cause })
}

/** The wording of Supabase's realtime service, for its REST API. */
export const realtimeVocabulary: Vocabulary = {
  tokenMissing: () => new HoldfastError('MissingAPIKey', 401, 'API key is missing'),
  tokenInvalid: (cause, token) =>
    token.split('.').length === 3
      ? new HoldfastError('JwtSignatureError', 401, 'Failed to validate JWT signature', { cause })
      : new HoldfastError('MalformedJWT', 401, 'The token provided is not a valid JWT', { cause }),
  tokenExpired: (cause) => new HoldfastError('InvalidJWTToken', 401, 'Token has expired', { cause }),
  tokenForOthers: (cause) => new HoldfastError('InvalidJWTToken', 401, cause.message, { cause }),
  sessionEnded: (cause) => new HoldfastError('InvalidJWTToken', 401, cause.message, { cause }),
  roleRefused: (cause) => new HoldfastError('InvalidJWTToken', 401, cause.message, { cause }),
  issuerUnavailable: (cause) =>
    new HoldfastError('InvalidJWTToken', 503, cause.message, { cause, headers: ISSUER_RETRY_AFTER }),
  unavailable: () =>
    new HoldfastError('UnableToConnectToProject', 503, 'The database is not available', { headers: RETRY_AFTER }),
}

/** @see PowerSync service, packages/service-errors/src/codes.ts */
export const syncVocabulary: Vocabulary = {
  tokenMissing: () => new HoldfastError('PSYNC_S2106', 401, 'Authentication required'),
  tokenInvalid: (cause) =>
    new HoldfastError('PSYNC_S2101', 401, 'The token is not valid', {
      cause,
      ...(cause.detail && { detail: cause.message }),
    }),
  tokenExpired: (cause) => new HoldfastError('PSYNC_S2103', 401, 'JWT has expired', { cause }),
  tokenForOthers: (cause) =>
    new HoldfastError('PSYNC_S2105', 401, 'The token is for another audience (aud)', { cause }),
  // The public client requests a new token from its connector on any 401.
  sessionEnded: (cause) =>
    new HoldfastError('PSYNC_S2101', 401, cause.message, {
      cause,
      detail: cause.code,
      hint: 'Refresh the session; if that is refused too, the person has to sign in again.',
    }),
  roleRefused: (cause) => new HoldfastError('PSYNC_S2101', 401, cause.message, { cause, detail: cause.code }),
  issuerUnavailable: (cause) =>
    new HoldfastError('PSYNC_S2204', 503, cause.message, { cause, headers: ISSUER_RETRY_AFTER }),
  unavailable: () => new HoldfastError('PSYNC_S2003', 503, 'The database is not available', { headers: RETRY_AFTER }),
}
