/**
 * What `pg/lib/crypto/utils.js` exports, for the bundled server (`scripts/bundle-server.ts`): the same functions by `node:crypto` at once, instead of WebCrypto in
 * jobs of other threads; and a key is derived from a password once, not for each connection.
 *
 * @see RFC 5802, and `pg/lib/crypto/sasl.js`, which calls them
 */
import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

export { randomBytes }

/** Bytes of a key of SCRAM-SHA-256. */
const KEY_BYTES = 32

/** Derived keys that are kept: some roles log in, and a password that changed makes one more. */
const KEYS_MAX = 32

const derive = promisify(pbkdf2)
const keys = new Map<string, Promise<Buffer>>()

/** The salted password of SCRAM. */
export function deriveKey(password: string, salt: Buffer, iterations: number): Promise<Buffer> {
  // By the lengths no two have the same text.
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

/** @param name - as certificates have it, such as `SHA-384` */
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
