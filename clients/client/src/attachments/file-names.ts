import { KEY_BYTES_MAX } from './limits.ts'

/** Returns a random name for stored bytes and for this device's upload of them. */
export function randomName(): string {
  return crypto.randomUUID()
}

/** Characters allowed in storage keys. */
const KEY = /^[A-Za-z0-9_/!\-.*'() &$=@;:+,?]+$/

/** @throws TypeError if storage would refuse the key, so the file could never be uploaded */
export function assertStorageKey(path: string): void {
  if (KEY.test(path) && path.length <= KEY_BYTES_MAX && !path.startsWith('/')) return
  throw new TypeError(
    `Storage does not accept "${path}" as a key: use ASCII letters, digits and _ / ! - . * ' ( ) & $ = @ ; : + , ?`,
  )
}

const EXTENSION = /\.[A-Za-z0-9]{1,10}$/
/** Types produced by cameras, recorders and scanners. */
const BY_MEDIA_TYPE: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/webp': '.webp',
  'image/avif': '.avif',
  'image/heic': '.heic',
  'image/gif': '.gif',
  'video/mp4': '.mp4',
  'video/quicktime': '.mov',
  'video/webm': '.webm',
  'audio/webm': '.weba',
  'audio/mpeg': '.mp3',
  'application/pdf': '.pdf',
}

/** Returns a file name's extension with its dot; empty if unknown. */
export function extensionOf(name: string, mediaType: string): string {
  return EXTENSION.exec(name)?.[0].toLowerCase() ?? BY_MEDIA_TYPE[mediaType] ?? ''
}
