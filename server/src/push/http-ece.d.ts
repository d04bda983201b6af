/** The part of the untyped package that `push/post-message.ts` uses. */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto'

  interface WebPushParameters {
    readonly version: 'aes128gcm'
    /** The receiver's public key, base64url. */
    readonly dh: string
    /** base64url */
    readonly authSecret: string
    readonly privateKey: ECDH
    /** base64url */
    readonly salt: string
  }

  /** Encrypts as in RFC 8188, with the key derivation of RFC 8291. @throws for an invalid key */
  export function encrypt(plain: Buffer, parameters: WebPushParameters): Buffer
}
