import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { HoldfastError, type Clock, type Logger } from '@holdfast/foundation'
import { keepPrivate } from '@holdfast/postgres'
import { ensureKeyFile } from '../key-file.ts'
import { SIGNED_SECONDS } from './limits.ts'

/** Keys identifying this server to push services (RFC 8292, VAPID). */
export interface PushKeys {
  /** The uncompressed point in base64url, with which browsers subscribe. */
  readonly publicKey: string
  readonly privateKey: KeyObject
}

/**
 * Returns the configured key, otherwise the one stored in the data folder, otherwise a new one, which is stored there with mode 0600. Restricts a stored file
 * that others can read.
 *
 * @throws {HoldfastError} `option_invalid` for an invalid configured key, `push_key_damaged` for a stored one
 */
export function resolvePushKeys(configured: string | undefined, dataDir: string, logger: Logger): PushKeys {
  if (configured !== undefined)
    return keysOf(configured, 'option_invalid', 'pushPrivateKey is no private key of P-256: 32 bytes in base64url.')
  const path = join(dataDir, 'push-key')
  keepPrivate(path, logger)
  return keysOf(
    ensureKeyFile(path, createKey),
    'push_key_damaged',
    `${path} is damaged. Restore it, or remove it to get a new key: devices subscribe again by themselves.`,
  )
}

/** Creates the `authorization` header for push services; reuses a signature for half its lifetime. */
export function createAuthorize(keys: PushKeys, contact: string, clock: Clock): (endpoint: URL) => Promise<string> {
  let audience: { readonly origin: string; readonly value: string; readonly untilMs: number } | undefined
  return async ({ origin }) => {
    if (audience?.origin === origin && audience.untilMs > clock.now()) return audience.value
    const token = await new SignJWT({})
      .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
      .setAudience(origin)
      .setSubject(contact)
      .setExpirationTime(Math.floor(clock.now() / 1000) + SIGNED_SECONDS)
      .sign(keys.privateKey)
    const value = `vapid t=${token}, k=${keys.publicKey}`
    audience = { origin, value, untilMs: clock.now() + (SIGNED_SECONDS * 1000) / 2 }
    return value
  }
}

function keysOf(text: string, code: string, message: string): PushKeys {
  try {
    const ecdh = createECDH('prime256v1')
    const scalar = Buffer.from(text.trim(), 'base64url')
    if (scalar.length !== 32) throw new Error('not 32 bytes')
    ecdh.setPrivateKey(scalar)
    const point = ecdh.getPublicKey()
    const privateKey = createPrivateKey({
      key: {
        kty: 'EC',
        crv: 'P-256',
        d: scalar.toString('base64url'),
        x: point.subarray(1, 33).toString('base64url'),
        y: point.subarray(33).toString('base64url'),
      },
      format: 'jwk',
    })
    return { publicKey: point.toString('base64url'), privateKey }
  } catch {
    // Omits the cause, which may reveal the key.
    throw new HoldfastError(code, 500, message)
  }
}

function createKey(): string {
  const ecdh = createECDH('prime256v1')
  ecdh.generateKeys()
  // Restores leading zeros.
  return Buffer.from(ecdh.getPrivateKey('hex').padStart(64, '0'), 'hex').toString('base64url')
}
