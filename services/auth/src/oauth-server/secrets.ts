import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** @returns 256 random bits as text that needs no escaping anywhere */
export function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The stored hash of a secret or a code. Both are random and long, so a fast hash is as good as a slow one. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

/** Constant-time comparison. */
export function matchesSecret(secret: string, hash: string): boolean {
  const given = Buffer.from(hashSecret(secret))
  const kept = Buffer.from(hash)
  return given.length === kept.length && timingSafeEqual(given, kept)
}

/** Whether a verifier is the one that a challenge of method `S256` was made from. */
export function matchesChallenge(verifier: string, challenge: string): boolean {
  return matchesSecret(verifier, challenge)
}
