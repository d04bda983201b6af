import { createCipheriv, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { verify as verifyArgon2 } from '@node-rs/argon2'
import { verify as verifyBcrypt } from '@node-rs/bcrypt'
import { PASSWORD_BYTES_MAX, SCRYPT_BYTES_MAX } from '../limits.ts'
import type { PasswordHash } from './password-hash.ts'

const scryptInBackground = promisify(
  (
    password: string,
    salt: Buffer,
    options: { N: number; r: number; p: number },
    done: (error: Error | null, key: Buffer) => void,
  ) => scrypt(password, salt, SCRYPT_KEY_BYTES, { ...options, maxmem: 2 * SCRYPT_BYTES_MAX }, done),
)

/** Firebase encrypts with AES-256. */
const SCRYPT_KEY_BYTES = 32

/** Returns whether bcrypt reads all of a password. It truncates long passwords and stops at NUL, so other passwords would match too. */
export function isWholeToBcrypt(password: string): boolean {
  return Buffer.byteLength(password) <= PASSWORD_BYTES_MAX && !password.includes('\0')
}

/** Compares on the thread pool, in constant time. */
export async function comparePassword(password: string, hash: PasswordHash): Promise<boolean> {
  switch (hash.kind) {
    case 'bcrypt':
      return verifyBcrypt(password, hash.encoded)
    case 'argon2':
      return verifyArgon2(hash.encoded, password)
    case 'firebase-scrypt': {
      const { n, r, p, salt, saltSeparator, signerKey } = hash
      const key = await scryptInBackground(password, Buffer.concat([salt, saltSeparator]), { N: n, r, p })
      const signed = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(signerKey)
      return signed.length === hash.hash.length && timingSafeEqual(signed, hash.hash)
    }
  }
}
