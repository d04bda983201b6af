import { KEY_BYTES_MAX } from './limits.ts'

/** A name for stored bytes, and for this device's upload of them. */
export function randomName(): string {
  return crypto.randomUUID()
}

/** What storage takes as a key: ASCII letters and digits, and these signs. */
const KEY = /^[A-Za-z0-9_/!\-.*'() &$=@;:+,?]+$/

/** @throws TypeError when storage would refuse the key, and the file could never go up */
export function assertStorageKey(path: string): void {
  if (KEY.test(path) && path.length <= KEY_BYTES_MAX && !path.startsWith('/')) return
  throw new TypeError(
    `Storage does not take "${path}" as a key: use ASCII letters, digits and _ / ! - . * ' ( ) & $ = @ ; : + , ?`,
  )
}

const EXTENSION = /\.[A-Za-z0-9]{1,10}$/
/** What cameras, recorders and scanners make. */
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

/** The end of a file's name, with its dot; empty when nothing is known. */
export function extensionOf(name: string, mediaType: string): string {
  return EXTENSION.exec(name)?.[0].toLowerCase() ?? BY_MEDIA_TYPE[mediaType] ?? ''
}
