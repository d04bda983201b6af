import { crc32, deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderOf, openStorageWorld, type StorageWorld } from './storage-world.ts'

// `transform` of the unmodified storage-js: downloads, signed and public URLs of images.

let world: StorageWorld
let mine: string

const SIZE = { width: 120, height: 80 }

beforeAll(async () => {
  world = await openStorageWorld()
  mine = await folderOf(world.alice)
  const image = new Blob([greyPng(SIZE.width, SIZE.height)], { type: 'image/png' })
  expect((await photos().upload(`${mine}/a.png`, image)).error).toBeNull()
  expect((await world.service.from('pages').upload('a.png', image)).error).toBeNull()
})
afterAll(() => world[Symbol.asyncDispose]())

const photos = (): ReturnType<StorageWorld['service']['from']> => world.alice.storage.from('photos')

/** Creates a single-colour PNG. */
function greyPng(width: number, height: number): Buffer<ArrayBuffer> {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0])
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  const rows = Buffer.alloc((width + 1) * height, 128)
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Returns the size of a PNG. */
async function sizeOf(blob: Blob): Promise<{ readonly width: number; readonly height: number }> {
  const bytes = Buffer.from(await blob.arrayBuffer())
  expect(bytes.toString('latin1', 1, 4)).toBe('PNG')
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

async function fetchImage(url: string): Promise<{ readonly response: Response; readonly blob: Blob }> {
  const response = await fetch(url)
  return { response, blob: await response.blob() }
}

describe('transforms of file.download', () => {
  test.each([
    ['cover', { width: 40, height: 40 }, { width: 40, height: 40 }],
    ['contain', { width: 40, height: 40 }, { width: 40, height: 27 }],
    ['fill', { width: 30, height: 60 }, { width: 30, height: 60 }],
    ['one side', { width: 60 }, { width: 60, height: 40 }],
  ] as const)('%s', async (name, wanted, size) => {
    const resize = name === 'one side' ? {} : { resize: name }
    const { data, error } = await photos().download(`${mine}/a.png`, {
      transform: { ...wanted, ...resize, format: 'origin' },
    })
    expect(error).toBeNull()
    expect(await sizeOf(data as Blob)).toEqual(size)
  })

  test('are refused when the file is', async () => {
    const { data, error } = await world.bob.storage
      .from('photos')
      .download(`${mine}/a.png`, { transform: { width: 40 } })
    expect(data).toBeNull()
    expect(error).toMatchObject({ status: 400 })
  })
})

describe('transforms of file.createSignedUrl', () => {
  test('are part of the signature', async () => {
    const { data } = await photos().createSignedUrl(`${mine}/a.png`, 60, {
      transform: { width: 24, height: 24, quality: 50, format: 'origin' },
    })
    const signed = data?.signedUrl ?? ''
    const { response, blob } = await fetchImage(`${signed}&width=100`)
    expect(response.headers.get('x-transformations')).toBe('height:24,width:24,resizing_type:fill,quality:50')
    expect(await sizeOf(blob)).toEqual({ width: 24, height: 24 })
    const original = await fetch(signed.replace('/render/image/sign/', '/object/sign/'))
    expect(original.status).toBe(400)
  })
})

describe('transforms of file.getPublicUrl', () => {
  test('are public, in the best format that the browser accepts', async () => {
    const url = world.service.from('pages').getPublicUrl('a.png', { transform: { width: 60 } }).data.publicUrl
    const browser = await fetch(url, { headers: { accept: 'image/avif,image/webp,image/apng,*/*;q=0.8' } })
    expect(browser.headers.get('content-type')).toBe('image/webp')
    expect(Buffer.from(await browser.arrayBuffer()).toString('latin1', 8, 12)).toBe('WEBP')
    const origin = world.service.from('pages').getPublicUrl('a.png', { transform: { width: 60, format: 'origin' } })
    expect(await sizeOf((await fetchImage(origin.data.publicUrl)).blob)).toEqual({ width: 60, height: 40 })
  })

  test('are not served from a private bucket', async () => {
    const url = photos().getPublicUrl(`${mine}/a.png`, { transform: { width: 60 } }).data.publicUrl
    const { response } = await fetchImage(url)
    expect(response.status).toBe(400)
  })
})
