import { badClaim, foreignAudience, tokenExpired } from '../errors.ts'

/** Accepted skew in seconds of the clock that wrote `nbf` or `iat`, as in PostgREST. */
const CLOCK_SKEW_S = 30

/**
 * Checks the registered claims in PostgREST's order. A `null` claim counts as absent.
 *
 * @param audiences - accepted ones; empty to skip the check
 * @throws {HoldfastError} `token_expired`, `foreign_audience`, or `bad_jwt` with a `ClaimProblem` as detail
 */
export function checkClaims(
  claims: Readonly<Record<string, unknown>>,
  nowS: number,
  audiences: readonly string[],
): void {
  const { exp, nbf, iat, aud } = claims
  if (isPresent(exp)) {
    if (typeof exp !== 'number') throw badClaim('exp_not_number', 'exp has to be a number')
    if (exp <= nowS) throw tokenExpired()
  }
  if (isPresent(nbf)) {
    if (typeof nbf !== 'number') throw badClaim('nbf_not_number', 'nbf has to be a number')
    if (nbf > nowS + CLOCK_SKEW_S) throw badClaim('nbf_future', 'the token is not valid yet (nbf)')
  }
  if (isPresent(iat)) {
    if (typeof iat !== 'number') throw badClaim('iat_not_number', 'iat has to be a number')
    if (iat > nowS + CLOCK_SKEW_S) throw badClaim('iat_future', 'the token was issued in the future (iat)')
  }
  if (!isPresent(aud)) return
  if (!isAudience(aud)) throw badClaim('aud_malformed', 'aud has to be a string or an array of strings')
  if (!isForAudience(aud, audiences)) throw foreignAudience()
}

function isPresent(claim: unknown): boolean {
  return claim !== undefined && claim !== null
}

function isAudience(aud: unknown): boolean {
  return typeof aud === 'string' || (Array.isArray(aud) && aud.every((one) => typeof one === 'string'))
}

/**
 * Returns whether a token is for this server. A token without an audience, such as an API key, is for everyone who trusts its key.
 *
 * @param aud - the token's claim
 * @param accepted - the audiences of this server; empty to skip the check
 * @see RFC 7519, section 4.1.3
 */
export function isForAudience(aud: unknown, accepted: readonly string[]): boolean {
  if (accepted.length === 0 || aud === undefined || aud === null) return true
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  return named.some((one) => typeof one === 'string' && accepted.includes(one))
}
