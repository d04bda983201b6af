import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Keeps secrets of others in the database so that a copy of the database alone does not give them away. */
export interface Sealer {
  /** @param owner - the id of the row; a secret sealed for one row cannot be opened for another */
  seal(owner: string, secret: string): string
  /** @returns the secret, or `undefined` when it was sealed under another key or for another row. A text that was never sealed is its own secret. */
  open(owner: string, sealed: string): string | undefined
}

const PREFIX = 'sealed:v1:'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * AES-256-GCM under a key made from the secret that also signs API keys.
 *
 * @param secret - after a change of it, the sealed secrets have to be set again
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
        return undefined // the tag does not fit: that is the answer
      }
    },
  }
}
