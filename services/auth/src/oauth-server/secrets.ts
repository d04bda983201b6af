import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** @returns 256 random bits as base64url */
export function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the stored hash of a secret or a code. Both are long and random, so a fast hash is sufficient. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

/** Constant-time comparison. */
export function matchesSecret(secret: string, hash: string): boolean {
  const given = Buffer.from(hashSecret(secret))
  const kept = Buffer.from(hash)
  return given.length === kept.length && timingSafeEqual(given, kept)
}

/** Returns whether a verifier matches an `S256` challenge. */
export function matchesChallenge(verifier: string, challenge: string): boolean {
  return matchesSecret(verifier, challenge)
}
