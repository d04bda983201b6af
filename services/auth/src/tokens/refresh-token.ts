import { randomBytes } from 'node:crypto'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** A new refresh token: 24 characters of 5 random bits each. */
export function createRefreshToken(): string {
  return Array.from(randomBytes(24), (byte) => ALPHABET.charAt(byte & 31)).join('')
}
