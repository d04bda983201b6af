import { validationFailed } from '../errors.ts'
import { parsePasswordHash } from '../passwords/password-hash.ts'

/** Characters that the column holds. */
const HASH_CHARS_MAX = 255

/**
 * Lets through what a sign-in can be compared with, within costs that cannot keep the server busy.
 *
 * @throws {HoldfastError} `validation_failed`
 */
export function requirePasswordHash(hash: string): void {
  if (hash.length <= HASH_CHARS_MAX && parsePasswordHash(hash) !== undefined) return
  throw validationFailed("The password hash has to be one of bcrypt, argon2i, argon2id or Firebase's scrypt")
}
