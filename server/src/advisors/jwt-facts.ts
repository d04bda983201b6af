import type { AdviceContext } from './lint.ts'

/** Secrets of public documentation and templates. */
const WELL_KNOWN = /^(?:your-)?super-secret-jwt-token-with-at-least-32-characters-long$/

/** @param lifetimeS - of an access token, in seconds */
export function jwtFacts(secret: Uint8Array | undefined, lifetimeS: number): NonNullable<AdviceContext['jwt']> {
  const text = secret === undefined ? '' : Buffer.from(secret).toString()
  return { secretBytes: secret?.length, isWellKnown: WELL_KNOWN.test(text), lifetimeS }
}
