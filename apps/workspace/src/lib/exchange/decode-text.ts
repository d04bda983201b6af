export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Bytes examined for the zeros of UTF-16. */
const SAMPLE = 4_096

/**
 * Detects a text's encoding: byte order mark, zeros of UTF-16, UTF-8, else Windows-1252, which accepts everything. UTF-8 may have a few broken characters:
 * Windows-1252 hardly ever has bytes that are valid UTF-8 beyond ASCII.
 */
export function detectEncoding(bytes: Uint8Array): Encoding {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const sample = bytes.subarray(0, SAMPLE)
  const zeros = [0, 0]
  sample.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  })
  const [even = 0, odd = 0] = zeros
  // Latin letters make every other byte zero.
  if (odd > sample.length / 5 && even < odd / 4) return 'utf-16le'
  if (even > sample.length / 5 && odd < even / 4) return 'utf-16be'
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return 'utf-8'
  } catch {
    return isMostlyUtf8(bytes) ? 'utf-8' : 'windows-1252'
  }
}

function isMostlyUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder('utf-8').decode(bytes)
  const broken = count(text, /\uFFFD+/g)
  return count(text, /[\u0080-\uFFFC\u{10000}-\u{10FFFF}]+/gu) >= broken
}

function count(text: string, what: RegExp): number {
  let found = 0
  for (const _ of text.matchAll(what)) found += 1
  return found
}

/** Decodes a text without its byte order mark; invalid bytes become �. */
export function decodeText(bytes: Uint8Array, encoding: Encoding): string {
  return new TextDecoder(encoding).decode(bytes)
}
