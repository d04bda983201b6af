/** The part of the untyped package that `push/post-message.ts` uses. */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto'

  interface WebPushParameters {
    readonly version: 'aes128gcm'
    /** Public key of the receiver, base64url. */
    readonly dh: string
    /** base64url */
    readonly authSecret: string
    readonly privateKey: ECDH
    /** base64url */
    readonly salt: string
  }

  /** RFC 8188, with the key of RFC 8291. @throws when a key is none */
  export function encrypt(plain: Buffer, parameters: WebPushParameters): Buffer
}
