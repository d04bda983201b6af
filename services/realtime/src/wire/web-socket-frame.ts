import type { EncodedFrame } from './frames.ts'

const TEXT_FRAME = 0x81
const BINARY_FRAME = 0x82
const LENGTH_16 = 126
const LENGTH_64 = 127
const LENGTH_16_MAX = 0xff_ff

/**
 * Encodes a message as one WebSocket frame with header. The same bytes are written to all its recipients.
 *
 * @see RFC 6455, 5.2: server frames are not masked
 */
export function createFrame(parts: readonly Uint8Array[], isBinary: boolean): EncodedFrame {
  let length = 0
  for (const part of parts) length += part.length
  const headLength = length < LENGTH_16 ? 2 : length <= LENGTH_16_MAX ? 4 : 10
  const bytes = Buffer.allocUnsafe(headLength + length)
  bytes[0] = isBinary ? BINARY_FRAME : TEXT_FRAME
  if (headLength === 2) bytes[1] = length
  else if (headLength === 4) {
    bytes[1] = LENGTH_16
    bytes.writeUInt16BE(length, 2)
  } else {
    bytes[1] = LENGTH_64
    bytes.writeBigUInt64BE(BigInt(length), 2)
  }
  let offset = headLength
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return { bytes, data: bytes.subarray(headLength), isBinary }
}
