/** Iterations of PBKDF2, as OWASP recommends for SHA-256; some 0.3 s on a phone. */
const ITERATIONS = 600_000
const CURVE = { name: 'ECDH', namedCurve: 'P-256' } as const

/** A private key, encrypted. All fields are base64. */
export interface WrappedKey {
  readonly iv: string
  readonly data: string
}

/** A key derived from a password, and what deriving it again needs. */
export interface PasswordKey {
  readonly key: CryptoKey
  readonly salt: string
  readonly iterations: number
}

/** Derives a wrapping key from a password. */
export async function derivePasswordKey(
  password: string,
  { salt = toBase64(crypto.getRandomValues(new Uint8Array(16))), iterations = ITERATIONS } = {},
): Promise<PasswordKey> {
  const secret = await crypto.subtle.importKey('raw', new TextEncoder().encode(password), 'PBKDF2', false, [
    'deriveKey',
  ])
  const how = { name: 'PBKDF2', hash: 'SHA-256', salt: fromBase64(salt), iterations }
  const key = await crypto.subtle.deriveKey(how, secret, { name: 'AES-GCM', length: 256 }, false, WRAPPING)
  return { key, salt, iterations }
}

const WRAPPING = ['wrapKey', 'unwrapKey'] as const

/** @param secret - 32 bytes in base64 */
export function importWrappingKey(secret: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', fromBase64(secret), 'AES-GCM', false, WRAPPING)
}

/** Creates a key pair; the private key is only usable through {@link unwrapPrivateKey}. */
export async function createKeyPair(
  wrappingKeys: readonly CryptoKey[],
): Promise<{ readonly publicKey: string; readonly wrapped: readonly WrappedKey[] }> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(CURVE, true, ['deriveBits'])
  return {
    publicKey: toBase64(await crypto.subtle.exportKey('raw', publicKey)),
    wrapped: await Promise.all(wrappingKeys.map((key) => wrap(privateKey, key))),
  }
}

async function wrap(privateKey: CryptoKey, key: CryptoKey): Promise<WrappedKey> {
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const data = await crypto.subtle.wrapKey('pkcs8', privateKey, key, { name: 'AES-GCM', iv })
  return { iv: toBase64(iv), data: toBase64(data) }
}

/** Returns the private key; `undefined` if it was wrapped with another key. */
export async function unwrapPrivateKey({ iv, data }: WrappedKey, key: CryptoKey): Promise<CryptoKey | undefined> {
  const how = { name: 'AES-GCM', iv: fromBase64(iv) }
  try {
    return await crypto.subtle.unwrapKey('pkcs8', fromBase64(data), key, how, CURVE, false, ['deriveBits'])
  } catch (error) {
    if (error instanceof DOMException && error.name === 'OperationError') return undefined
    throw error
  }
}

/** Creates a content key that only the owner of the private key can derive again, from `ephemeral`. */
export async function createContentKey(
  publicKey: string,
): Promise<{ readonly key: CryptoKey; readonly ephemeral: string }> {
  const own = await crypto.subtle.generateKey(CURVE, false, ['deriveBits'])
  const ephemeral = toBase64(await crypto.subtle.exportKey('raw', own.publicKey))
  return { key: await contentKey(own.privateKey, publicKey, ephemeral), ephemeral }
}

/** Derives a content key again. */
export function openContentKey(privateKey: CryptoKey, ephemeral: string): Promise<CryptoKey> {
  return contentKey(privateKey, ephemeral, ephemeral)
}

async function contentKey(own: CryptoKey, other: string, ephemeral: string): Promise<CryptoKey> {
  const point = await crypto.subtle.importKey('raw', fromBase64(other), CURVE, false, [])
  const shared = await crypto.subtle.deriveBits({ name: 'ECDH', public: point }, own, 256)
  const material = await crypto.subtle.importKey('raw', shared, 'HKDF', false, ['deriveKey'])
  const info = new TextEncoder().encode('holdfast device lock')
  const how = { name: 'HKDF', hash: 'SHA-256', salt: fromBase64(ephemeral), info }
  return crypto.subtle.deriveKey(how, material, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

function toBase64(bytes: ArrayBuffer | Uint8Array): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
}
