import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts third-party secrets, so that a copy of the database alone does not reveal them. */
export interface Sealer {
  /** @param owner - id of the row; the sealed secret can be opened only for this row */
  seal(owner: string, secret: string): string
  /** @returns the secret; `undefined` if it was sealed with another key or for another row. Text that was never sealed is returned as is. */
  open(owner: string, sealed: string): string | undefined
}

const PREFIX = 'sealed:v1:'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Creates a sealer with AES-256-GCM and a key derived from the secret that also signs API keys.
 *
 * @param secret - after it changes, the sealed secrets must be set again
 */
export function createSealer(secret: Uint8Array): Sealer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'holdfast auth: secrets of others', 32))
  return {
    seal(owner, text) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(owner))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return PREFIX + Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64url')
    },
    open(owner, sealed) {
      if (!sealed.startsWith(PREFIX)) return sealed
      const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64url')
      if (bytes.length < IV_BYTES + TAG_BYTES) return undefined
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(owner))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES))
        return Buffer.concat([text, decipher.final()]).toString('utf8')
      } catch {
        return undefined // the authentication tag does not match
      }
    },
  }
}
