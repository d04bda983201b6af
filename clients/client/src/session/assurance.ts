import type { Session } from '@supabase/supabase-js'

/**
 * Whether the person has a verified second factor and this session was made without it. It is known without network, from what the session holds;
 * `mfa.getAuthenticatorAssuranceLevel` of the auth client answers the same from the same facts.
 */
export function needsSecondFactor(session: Pick<Session, 'access_token' | 'user'>): boolean {
  const hasFactor = session.user.factors?.some(({ status }) => status === 'verified') ?? false
  return hasFactor && claimsOf(session.access_token)?.['aal'] !== 'aal2'
}

/** Of a token's claims those that say when it was made and ends, which policies do not depend on. */
const TIMES: ReadonlySet<string> = new Set(['iat', 'exp', 'nbf', 'jti'])

/** What a token says of the person, as a text that is the same for the next token unless that says something else. */
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
    return undefined // not a token; the server will say so
  }
}
