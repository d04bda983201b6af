import { createHash, randomBytes } from 'node:crypto'

/** Without i, l, o and u: people read codes off paper. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const LENGTH = 16

/** @returns 16 characters of 5 random bits each, in lower case and without separators */
export function createRecoveryCode(): string {
  return Array.from(randomBytes(LENGTH), (byte) => ALPHABET.charAt(byte & 31)).join('')
}

/**
 * The stored hash of a code.
 *
 * @param text - as a person typed it: letter case, spaces and hyphens do not matter, and o, i and l are read as the digits they look like
 */
export function hashRecoveryCode(text: string): string {
  const code = text.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1')
  return createHash('sha256').update(code).digest('hex')
}
