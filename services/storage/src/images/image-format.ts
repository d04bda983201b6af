/** Supported input and output formats. SVG is excluded because it may reference other documents; browsers scale it themselves. */
export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'avif' | 'gif'

export const IMAGE_TYPES: Readonly<Record<ImageFormat, string>> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
}

/** Leading bytes needed to detect the format. */
export const SIGNATURE_BYTES = 16

/** Detects the format from the bytes, ignoring the declared type. */
export function formatOf(bytes: Buffer): ImageFormat | undefined {
  const text = (from: number, to: number): string => bytes.toString('latin1', from, to)
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'jpeg'
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'png'
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'webp'
  if (text(4, 8) === 'ftyp' && /^(?:avif|avis)$/.test(text(8, 12))) return 'avif'
  if (/^GIF8[79]a$/.test(text(0, 6))) return 'gif'
  return undefined
}
