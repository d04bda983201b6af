import {
  ARGON2_MEMORY_KIB_MAX,
  ARGON2_PASSES_MAX,
  ARGON2_THREADS_MAX,
  BCRYPT_COST_MAX,
  SCRYPT_BYTES_MAX,
} from '../limits.ts'

/** Formats of `encrypted_password`: our own, and those of imported dumps. */
export type PasswordHash =
  | { readonly kind: 'bcrypt'; readonly encoded: string; readonly cost: number }
  | { readonly kind: 'argon2'; readonly encoded: string }
  | {
      readonly kind: 'firebase-scrypt'
      /** Work factor, a power of two. */
      readonly n: number
      readonly r: number
      readonly p: number
      readonly salt: Buffer
      readonly saltSeparator: Buffer
      readonly signerKey: Buffer
      readonly hash: Buffer
    }

const BCRYPT = /^\$2[abxy]?\$(\d\d)\$[./A-Za-z0-9]{53}$/
const ARGON2 = /^\$argon2id?\$v=19\$m=(\d{1,8}),t=(\d{1,3}),p=(\d{1,3})\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/
const FIREBASE_SCRYPT =
  /^\$fbscrypt\$v=1,n=(\d{1,2}),r=(\d{1,5}),p=(\d{1,3})(?:,ss=([A-Za-z0-9+/]*={0,2}))?(?:,sk=([A-Za-z0-9+/]*={0,2}))?\$([A-Za-z0-9+/]+={0,2})\$([A-Za-z0-9+/]+={0,2})$/

/**
 * Parses a hash in a format that GoTrue accepts: bcrypt, argon2i, argon2id, or Firebase's scrypt with its project's parameters.
 *
 * @returns `undefined` for other text, and for hashes too costly in time or memory for a sign-in
 */
export function parsePasswordHash(encoded: string): PasswordHash | undefined {
  const bcrypt = BCRYPT.exec(encoded)
  if (bcrypt) {
    const cost = Number(bcrypt[1])
    return cost >= 4 && cost <= BCRYPT_COST_MAX ? { kind: 'bcrypt', encoded, cost } : undefined
  }
  const argon2 = ARGON2.exec(encoded)
  if (argon2) {
    const [, memoryKib, passes, threads] = argon2.map(Number)
    const isAffordable =
      isBetween(memoryKib, 8, ARGON2_MEMORY_KIB_MAX) &&
      isBetween(passes, 1, ARGON2_PASSES_MAX) &&
      isBetween(threads, 1, ARGON2_THREADS_MAX)
    return isAffordable ? { kind: 'argon2', encoded } : undefined
  }
  return parseFirebaseScrypt(encoded)
}

function parseFirebaseScrypt(encoded: string): PasswordHash | undefined {
  const match = FIREBASE_SCRYPT.exec(encoded)
  if (!match) return undefined
  const [, power, r = 0, p = 0] = match.map(Number)
  const [saltSeparator, signerKey, salt, hash] = match.slice(4).map((base64) => Buffer.from(base64 ?? '', 'base64'))
  if (!saltSeparator || !signerKey || !salt || !hash || !isBetween(power, 1, 30)) return undefined
  const n = 2 ** (power ?? 0)
  if (!isBetween(r, 1, 1024) || !isBetween(p, 1, 16) || 128 * n * r > SCRYPT_BYTES_MAX) return undefined
  return { kind: 'firebase-scrypt', n, r, p, salt, saltSeparator, signerKey, hash }
}

function isBetween(value: number | undefined, least: number, most: number): boolean {
  return value !== undefined && value >= least && value <= most
}
