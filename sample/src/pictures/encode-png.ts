import { Buffer } from 'node:buffer'
import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import type { Canvas } from './canvas.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** One byte per pixel, an index into the palette. */
const INDEXED = Buffer.from([8, 3, 0, 0, 0])

/**
 * A PNG with a palette.
 *
 * @param palette - red, green and blue of each colour
 */
export async function encodePng({ width, height, pixels }: Canvas, palette: Uint8Array): Promise<Buffer> {
  const header = Buffer.alloc(8)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  const lines = Buffer.alloc((width + 1) * height) // the first byte of a line says that it is not filtered
  for (let y = 0; y < height; y++) lines.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([header, INDEXED])),
    chunk('PLTE', palette),
    chunk('IDAT', await promisify(deflate)(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
