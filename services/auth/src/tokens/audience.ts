/**
 * Whether a token may be used here. A token that names no audience is for everybody who trusts its key, as API keys are; one that names some is only for
 * those.
 *
 * @param aud - the claim as it stands in the token
 * @param accepted - the audiences of this server; none for no check
 * @see RFC 7519, section 4.1.3
 */
export function isForAudience(aud: unknown, accepted: readonly string[]): boolean {
  if (accepted.length === 0 || aud === undefined || aud === null) return true
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  return named.some((one) => typeof one === 'string' && accepted.includes(one))
}
