import type { Session } from '@supabase/supabase-js'

/**
 * Whether the user has a verified second factor that this session lacks. Derived offline from the session; `mfa.getAuthenticatorAssuranceLevel` of the auth
 * client returns the same.
 */
export function needsSecondFactor(session: Pick<Session, 'access_token' | 'user'>): boolean {
  const hasFactor = session.user.factors?.some(({ status }) => status === 'verified') ?? false
  return hasFactor && claimsOf(session.access_token)?.['aal'] !== 'aal2'
}

/** Time claims of a token, which policies do not depend on. */
const TIMES: ReadonlySet<string> = new Set(['iat', 'exp', 'nbf', 'jti'])

/** Returns a token's claims as text that changes only if the content does. */
export function claimsText(token: string): string {
  const claims = Object.entries(claimsOf(token) ?? {}).filter(([name]) => !TIMES.has(name))
  return JSON.stringify(claims.toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

function claimsOf(token: string): Readonly<Record<string, unknown>> | undefined {
  const payload = token.split('.')[1] ?? ''
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
      letter.charCodeAt(0),
    )
    return JSON.parse(new TextDecoder().decode(bytes)) as Readonly<Record<string, unknown>>
  } catch {
    return undefined // not a token; the server will report it
  }
}
