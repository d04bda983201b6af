import { mkdtempSync, openSync, closeSync, ftruncateSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'

/** Files that people choose as photos. */
export interface ForeignFiles extends Disposable {
  /** Of other kinds than their names say, or with more than one picture: each can be read. */
  readonly readable: readonly string[]
  /** Not taken, as a folder of a phone has them: two are no pictures, and a video is too large. */
  readonly unreadable: readonly string[]
}

/** Writes them to a folder of their own. The video has 100 MB and takes no room. */
export async function foreignFiles(page: Page, jpeg: Buffer): Promise<ForeignFiles> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-foreign-'))
  const at = (name: string): string => join(folder, name)
  const write = (name: string, bytes: Buffer): string => {
    writeFileSync(at(name), bytes)
    return at(name)
  }
  const video = openSync(at('clip.mp4'), 'w')
  ftruncateSync(video, 100_000_000)
  closeSync(video)
  return {
    readable: [
      write('really-a-png.jpg', await drawn(page, 'image/png')),
      write('moving.webp', twoFrames(await drawn(page, 'image/webp'))),
    ],
    unreadable: [
      write('broken.jpg', Buffer.concat([jpeg.subarray(0, 4), Buffer.alloc(5_000, 0x5a)])),
      write('empty.jpg', Buffer.alloc(0)),
      at('clip.mp4'),
    ],
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}

async function drawn(page: Page, type: string): Promise<Buffer> {
  const base64 = await page.evaluate(async (wanted) => {
    const canvas = new OffscreenCanvas(64, 48)
    const context = canvas.getContext('2d')
    context?.fillRect(8, 8, 20, 20)
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: wanted })).arrayBuffer())
    return btoa(String.fromCharCode(...bytes))
  }, type)
  return Buffer.from(base64, 'base64')
}

/** An animation of one still WebP, shown twice. */
function twoFrames(still: Buffer): Buffer {
  const picture = pictureChunks(still)
  const size = (side: number): number[] => [(side - 1) & 255, ((side - 1) >> 8) & 255, 0]
  const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0, ...size(64), ...size(48), 100, 0, 0, 0]), picture])
  const chunks = Buffer.concat([
    Buffer.from('WEBP', 'latin1'),
    chunk('VP8X', Buffer.from([0x12, 0, 0, 0, ...size(64), ...size(48)])), // animated, with transparency
    chunk('ANIM', Buffer.from([0, 0, 0, 0, 0, 0])),
    chunk('ANMF', frame),
    chunk('ANMF', frame),
  ])
  return chunk('RIFF', chunks)
}

/** The chunks of a still WebP that hold its pixels. */
function pictureChunks(webp: Buffer): Buffer {
  const found: Buffer[] = []
  for (let start = 12; start < webp.length;) {
    const name = webp.toString('latin1', start, start + 4)
    const length = webp.readUInt32LE(start + 4)
    const end = start + 8 + length + (length % 2)
    if (name === 'ALPH' || name.startsWith('VP8 ') || name === 'VP8L') found.push(webp.subarray(start, end))
    start = end
  }
  return Buffer.concat(found)
}

function chunk(name: string, bytes: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32LE(bytes.length, 4)
  return Buffer.concat([head, bytes, Buffer.alloc(bytes.length % 2)])
}
