import { createHash, randomBytes } from 'node:crypto'

/** A random secret for a cookie or link. Only its hash is stored. */
export interface SecretKey {
  readonly key: string
  readonly hash: Buffer
}

export function createSecretKey(): SecretKey {
  const key = randomBytes(32).toString('base64url')
  return { key, hash: hashKey(key) }
}

/** Hashes a key for lookup. Needs no salt, because keys are random. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
