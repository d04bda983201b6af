import type { Session } from '@supabase/supabase-js'

/**
 * Whether the person has a verified second factor and this session was made without it. It is known without network, from what the session holds;
 * `mfa.getAuthenticatorAssuranceLevel` of the auth client answers the same from the same facts.
 */
export function needsSecondFactor(session: Pick<Session, 'access_token' | 'user'>): boolean {
  const hasFactor = session.user.factors?.some(({ status }) => status === 'verified') ?? false
  return hasFactor && assuranceLevelOf(session.access_token) !== 'aal2'
}

function assuranceLevelOf(token: string): unknown {
  const payload = token.split('.')[1] ?? ''
  try {
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
      letter.charCodeAt(0),
    )
    return (JSON.parse(new TextDecoder().decode(bytes)) as { readonly aal?: unknown }).aal
  } catch {
    return undefined // not a token; the server will say so
  }
}
