import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { HoldfastError } from '@holdfast/foundation'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Protects what the database stores of the console's operators from roles that can read every table. */
export interface OperatorSecrets {
  /** Returns a keyed hash of a password, to be hashed again with salt and cost. */
  pepper(password: string): string
  seal(text: string): string
  /** @throws {HoldfastError} `secret_unreadable` */
  unseal(sealed: string): string
}

/** @param secret - of the server, the same on all servers of a database */
export function createOperatorSecrets(secret: string): OperatorSecrets {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `holdfast console: ${purpose}`, KEY_BYTES))
  const passwords = derive('passwords')
  const secrets = derive('secrets')
  return {
    pepper: (password) => createHmac('sha256', passwords).update(password).digest('base64'),
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', secrets, nonce)
      const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), bytes]).toString('base64')
    },
    unseal(sealed) {
      const bytes = Buffer.from(sealed, 'base64')
      try {
        const nonce = bytes.subarray(0, NONCE_BYTES)
        const decipher = createDecipheriv('aes-256-gcm', secrets, nonce, { authTagLength: TAG_BYTES })
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
        const rest = bytes.subarray(NONCE_BYTES + TAG_BYTES)
        return Buffer.concat([decipher.update(rest), decipher.final()]).toString()
      } catch (cause) {
        throw new HoldfastError(
          'secret_unreadable',
          409,
          'The second factor cannot be checked, because the secret of the server has changed. Ask an owner for a recovery link, or run "holdfast console recover".',
          { cause },
        )
      }
    },
  }
}
