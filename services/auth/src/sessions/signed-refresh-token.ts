import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** GoTrue's second kind of refresh token: no row, but a session id, a counter and a signature over both. */
export interface SignedRefreshToken {
  readonly sessionId: string
  readonly counter: bigint
  readonly signed: Buffer
  readonly signature: Buffer
}

const SIGNATURE_BYTES = 16
const CHECKSUM_BYTES = 4
const SESSION_ID_BYTES = 16
const LENGTH_MIN = 1 + SESSION_ID_BYTES + 1 + SIGNATURE_BYTES + CHECKSUM_BYTES
const LENGTH_MAX = LENGTH_MIN + 9

/**
 * Parses a token signed by GoTrue 2.180 or later: version 0, session, counter (varint), HMAC-SHA-256 truncated to 16 bytes, checksum.
 *
 * @returns `undefined` for other text, such as our own tokens
 */
export function parseSignedRefreshToken(token: string): SignedRefreshToken | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length < LENGTH_MIN || bytes.length > LENGTH_MAX || bytes[0] !== 0) return undefined
  const body = bytes.subarray(0, -CHECKSUM_BYTES)
  const checksum = createHash('sha256').update(body).digest().subarray(0, CHECKSUM_BYTES)
  if (!checksum.equals(bytes.subarray(-CHECKSUM_BYTES))) return undefined
  const signed = body.subarray(0, -SIGNATURE_BYTES)
  const counter = readVarint(signed.subarray(1 + SESSION_ID_BYTES))
  if (counter === undefined) return undefined
  const hex = signed.subarray(1, 1 + SESSION_ID_BYTES).toString('hex')
  const sessionId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { sessionId, counter, signed, signature: body.subarray(-SIGNATURE_BYTES) }
}

/** @param hmacKey - base64url, as stored in `auth.sessions` */
export function isSignedBy(token: SignedRefreshToken, hmacKey: string): boolean {
  const key = Buffer.from(hmacKey, 'base64url')
  const signature = createHmac('sha256', key).update(token.signed).digest().subarray(0, SIGNATURE_BYTES)
  return timingSafeEqual(signature, token.signature)
}

/** Reads a little-endian varint of seven bits per byte; `undefined` unless it spans all bytes. */
function readVarint(bytes: Buffer): bigint | undefined {
  let value = 0n
  for (const [index, byte] of bytes.entries()) {
    value |= BigInt(byte & 0x7f) << BigInt(7 * index)
    if ((byte & 0x80) === 0) return index === bytes.length - 1 ? value : undefined
  }
  return undefined
}
