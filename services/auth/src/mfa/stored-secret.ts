import { createDecipheriv, hkdfSync } from 'node:crypto'
import { HoldfastError } from '@holdfast/foundation'

/** GoTrue's JSON format of an encrypted value in a text column; bytes are base64. */
interface EncryptedValue {
  readonly key_id: string
  readonly alg: string
  readonly data: string
  readonly nonce: string
}

const KEY_BYTES = 32
const TAG_BYTES = 16

/** Parses `id=key` entries, where a key is 32 bytes in base64url. @throws {HoldfastError} `option_invalid` */
export function parseDecryptionKeys(entries: readonly string[]): ReadonlyMap<string, Buffer> {
  return new Map(
    entries.map((entry) => {
      const split = entry.indexOf('=')
      const key = Buffer.from(entry.slice(split + 1), 'base64url')
      if (split < 1 || key.length !== KEY_BYTES) {
        throw new HoldfastError('option_invalid', 500, 'A key of mfaSecretDecryptionKeys is not of the form id=key', {
          hint: 'A key is 32 bytes in base64url, as in GOTRUE_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS.',
        })
      }
      return [entry.slice(0, split), key]
    }),
  )
}

/**
 * Reads a stored secret: plain base32, or encrypted by the GoTrue that wrote the database.
 *
 * @param input.ownerId - id of the row, from which each value's key is derived
 * @throws {HoldfastError} `unexpected_failure` if the key is unknown or wrong
 */
export function readStoredSecret(input: {
  readonly stored: string
  readonly ownerId: string
  readonly keys: ReadonlyMap<string, Buffer>
}): string {
  const value = parseEncrypted(input.stored)
  if (!value) return input.stored
  const key = input.keys.get(value.key_id)
  if (!key) throw unreadable(`there is no key named ${JSON.stringify(value.key_id)}`)
  const derived = Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), input.ownerId, KEY_BYTES))
  const data = Buffer.from(value.data, 'base64')
  try {
    const decipher = createDecipheriv('aes-256-gcm', derived, Buffer.from(value.nonce, 'base64'), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAuthTag(data.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(data.subarray(0, -TAG_BYTES)), decipher.final()]).toString()
  } catch (error) {
    throw unreadable('its key is another one', error)
  }
}

function parseEncrypted(text: string): EncryptedValue | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const value = JSON.parse(text) as Partial<EncryptedValue> | null
    const isWhole = value?.alg === 'aes-gcm-hkdf' && value.key_id && value.data && value.nonce
    return isWhole ? (value as EncryptedValue) : undefined
  } catch {
    return undefined
  }
}

function unreadable(reason: string, cause?: unknown): HoldfastError {
  const problem = `The secret of a factor cannot be decrypted: ${reason}`
  return new HoldfastError('unexpected_failure', 500, 'The secret of this factor cannot be read', {
    cause: cause ? new Error(problem, { cause }) : new Error(problem),
    hint: 'Set mfaSecretDecryptionKeys to the keys of the project that the database comes from.',
  })
}
