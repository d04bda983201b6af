/**
 * Replaces `pg/lib/crypto/utils.js` in the bundled server (`scripts/bundle-server.ts`): synchronous `node:crypto` instead of WebCrypto thread jobs, and keys
 * derived once per password instead of per connection.
 *
 * @see RFC 5802, and `pg/lib/crypto/sasl.js`, the caller
 */
import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

export { randomBytes }

/** Key size of SCRAM-SHA-256 in bytes. */
const KEY_BYTES = 32

/** Cached keys: one per login role, and one more after a password change. */
const KEYS_MAX = 32

const derive = promisify(pbkdf2)
const keys = new Map<string, Promise<Buffer>>()

/** Derives SCRAM's salted password. */
export function deriveKey(password: string, salt: Buffer, iterations: number): Promise<Buffer> {
  // The lengths make the encoding unambiguous.
  const id = createHash('sha256').update(`${iterations}:${salt.length}:`).update(salt).update(password).digest('base64')
  const known = keys.get(id)
  if (known) return known
  const key = derive(password, salt, iterations, KEY_BYTES, 'sha256')
  keys.set(id, key)
  key.catch(() => keys.delete(id))
  const [oldest] = keys.keys()
  if (keys.size > KEYS_MAX && oldest !== undefined) keys.delete(oldest)
  return key
}

export function sha256(content: string | Buffer): Buffer {
  return createHash('sha256').update(content).digest()
}

/** @param name - as in certificates, such as `SHA-384` */
export function hashByName(name: string, content: Buffer): Buffer {
  return createHash(name).update(content).digest()
}

export function hmacSha256(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

export function md5(content: string | Buffer): string {
  return createHash('md5').update(content).digest('hex')
}

/** @see https://www.postgresql.org/docs/current/protocol-flow.html, "AuthenticationMD5Password" */
export function postgresMd5PasswordHash(user: string, password: string, salt: Buffer): string {
  return `md5${md5(Buffer.concat([Buffer.from(md5(password + user)), salt]))}`
}
