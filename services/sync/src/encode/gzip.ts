import { promisify } from 'node:util'
import { constants, crc32, deflateRaw } from 'node:zlib'
import { COMPRESS_BYTES_MIN, COMPRESS_LEVEL } from '../limits.ts'

const deflate = promisify<Buffer, { level: number; finishFlush: number }, Buffer>(deflateRaw)

/** Deflate, no name, no time, unknown system. @see RFC 1952 */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
/** An empty final block. */
const LAST_BLOCK = Buffer.from([0x03, 0x00])
/** Maximum bytes of a stored block. @see RFC 1951, 3.2.4 */
const STORED_BYTES_MAX = 65_535

/** A gzip stream of independently compressed pieces. */
export interface GzipStream {
  /** Returns the pieces that encode `bytes` completely. Write them in the order of the calls. */
  pieces(bytes: Buffer): Promise<readonly Buffer[]> | readonly Buffer[]
  /** Ends the stream. */
  end(): readonly Buffer[]
}

/**
 * Compresses while keeping only a checksum between calls: the state of a compressor (256 KiB) would be most of an idle device's memory. Each call creates
 * independent blocks that end at a byte boundary; parts too small to compress are stored.
 */
export function createGzipStream(): GzipStream {
  let sum = 0
  let size = 0
  let begun = false

  function count(bytes: Buffer): readonly Buffer[] {
    sum = crc32(bytes, sum)
    size = (size + bytes.length) >>> 0
    if (begun) return []
    begun = true
    return [HEADER]
  }

  return {
    pieces(bytes) {
      const head = count(bytes)
      if (bytes.length < COMPRESS_BYTES_MIN) return [...head, ...stored(bytes)]
      const made = deflate(bytes, { level: COMPRESS_LEVEL, finishFlush: constants.Z_SYNC_FLUSH })
      return made.then((blocks) => [...head, blocks])
    },
    end() {
      const trailer = Buffer.alloc(8)
      trailer.writeUInt32LE(sum, 0)
      trailer.writeUInt32LE(size, 4)
      return [...(begun ? [] : [HEADER]), LAST_BLOCK, trailer]
    },
  }
}

function stored(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += STORED_BYTES_MAX) {
    const piece = bytes.subarray(at, at + STORED_BYTES_MAX)
    const head = Buffer.alloc(5)
    head.writeUInt16LE(piece.length, 1)
    head.writeUInt16LE(~piece.length & 0xffff, 3)
    pieces.push(head, piece)
  }
  return pieces
}
