import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '@holdfast/foundation'

/** Lifetime of an owner key in ms. The server prints a new one at each start. */
const LIFETIME_MS = 24 * 3_600_000

/** Keys of the link that a server prints while it has no workspace. Not stored: the first workspace invalidates all of them. */
export interface OwnerKeys {
  issue(): string
  isValid(key: unknown): boolean
}

/** @param secret - of the server. The key is derived from it, so that no other signed text is accepted as an owner key */
export function createOwnerKeys(secret: string, clock: Clock): OwnerKeys {
  const derived = createHmac('sha256', secret).update('holdfast: owner keys').digest()
  const sign = (expiresAt: string): Buffer => createHmac('sha256', derived).update(expiresAt).digest()
  return {
    issue() {
      const expiresAt = String(clock.now() + LIFETIME_MS)
      return `${expiresAt}.${sign(expiresAt).toString('base64url')}`
    },
    isValid(key) {
      const [, expiresAt = '', given = ''] = (typeof key === 'string' && /^(\d{1,16})\.([\w-]{43})$/.exec(key)) || []
      const signature = Buffer.from(given, 'base64url')
      return signature.length === 32 && timingSafeEqual(signature, sign(expiresAt)) && clock.now() < Number(expiresAt)
    },
  }
}
