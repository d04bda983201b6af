import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALICE, openStorageWorld, type Answer, type StorageWorld } from '../storage-world.ts'

// Requests storage-js does not make: invalid and oversized images, cached results, access.

let world: StorageWorld

beforeAll(async () => {
  world = await openStorageWorld({ options: { storageImageCacheSize: '40KiB' } })
  await world.run(`
    insert into storage.buckets (id, name, public) values ('photos', 'photos', false), ('pages', 'pages', true);
    create policy own on storage.objects for select to authenticated using (owner_id = current_setting('request.jwt.claims', true)::jsonb ->> 'sub')`)
})
afterAll(() => world[Symbol.asyncDispose]())

/** Red on the left, blue on the right. */
const picture = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: 'red' } })
    .composite([
      {
        input: { create: { width: width / 2, height, channels: 3, background: 'blue' } },
        left: width / 2,
        top: 0,
      },
    ])
    .png()
    .toBuffer()

/** A black 1-bit image in as few bytes as possible. */
function blank(side: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const whole = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)])
    whole.writeUInt32BE(data.length, 0)
    whole.writeUInt32BE(crc32(whole.subarray(4, -4)), whole.length - 4)
    return whole
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header[8] = 1
  const rows = deflateSync(Buffer.alloc((1 + Math.ceil(side / 8)) * side))
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))])
}

async function put(path: string, bytes: Buffer | string, type = 'image/png'): Promise<void> {
  const headers = { 'content-type': type, 'x-upsert': 'true' }
  const answer = await world.request('service', { method: 'POST', url: `/object/${path}`, payload: bytes, headers })
  expect(answer.status).toBe(200)
}

const get = (url: string, headers: Record<string, string> = {}): Promise<Answer> =>
  world.request('service', { method: 'GET', url, headers })

const kept = (): readonly string[] =>
  readdirSync(join(world.folder, 'images'), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ name }) => name)

describe('an image', () => {
  test('is drawn in the size that is asked for, and is what it says that it is', async () => {
    await put('pages/a.png', await picture(400, 200))
    const answer = await get('/render/image/public/pages/a.png?width=100&height=100&format=origin')
    expect(answer.status).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'image/png',
      'x-transformations': 'height:100,width:100,resizing_type:fill',
      'content-length': String(answer.bytes.length),
      'x-content-type-options': 'nosniff',
    })
    expect(await sharp(answer.bytes).metadata()).toMatchObject({ format: 'png', width: 100, height: 100 })
  })

  test('is of the best format that the client takes, and caches are told', async () => {
    const webp = await get('/render/image/public/pages/a.png?width=50', { accept: 'image/avif,image/webp,*/*' })
    expect(webp.headers).toMatchObject({ 'content-type': 'image/webp', vary: 'accept' })
    const png = await get('/render/image/public/pages/a.png?width=50', { accept: '*/*' })
    expect(png.headers).toMatchObject({ 'content-type': 'image/png', vary: 'accept' })
    const avif = await get('/render/image/public/pages/a.png?width=50&format=avif')
    expect(await sharp(avif.bytes).metadata()).toMatchObject({ format: 'heif', width: 50, height: 25 })
  })

  test('keeps the side, or the point, that it is told to keep', async () => {
    const colourOf = async (query: string): Promise<number[]> => {
      const { bytes } = await get(
        `/render/image/public/pages/a.png?width=50&height=50&format=origin&resize=cover&${query}`,
      )
      const middle = (25 * 50 + 25) * 3
      return [...(await sharp(bytes).removeAlpha().raw().toBuffer()).subarray(middle, middle + 3)]
    }
    expect(await colourOf('gravity=we')).toEqual([255, 0, 0])
    expect(await colourOf('gravity=ea')).toEqual([0, 0, 255])
    expect(await colourOf('gravity=fp&x_offset=0.9&y_offset=0.5')).toEqual([0, 0, 255])
  })

  test('has the orientation that its camera says', async () => {
    const turned = await sharp(await picture(40, 20))
      .jpeg()
      .withMetadata({ orientation: 6 })
      .toBuffer()
    await put('pages/turned.jpg', turned, 'image/jpeg')
    const { bytes } = await get('/render/image/public/pages/turned.jpg?format=origin')
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 20, height: 40 })
  })

  test('is saved under the name that is asked for, and under the last one of several', async () => {
    await put('pages/saved.png', await picture(20, 10))
    const { status, headers } = await get('/render/image/public/pages/saved.png?download=a.png&download=b.png')
    expect([status, headers['content-disposition']]).toEqual([
      200,
      "attachment; filename=b.png; filename*=UTF-8''b.png",
    ])
  })

  test('that the client has is not sent again', async () => {
    const first = await get('/render/image/public/pages/a.png?width=60')
    const again = await get('/render/image/public/pages/a.png?width=60', {
      'if-none-match': String(first.headers['etag']),
    })
    expect([again.status, again.bytes.length]).toEqual([304, 0])
    const head = await world.request('service', { method: 'HEAD', url: '/render/image/public/pages/a.png?width=60' })
    expect([head.status, head.headers['x-transformations'], head.bytes.length]).toEqual([
      200,
      'width:60,resizing_type:fill',
      0,
    ])
  })

  test('is no other user’s, and not one of a private bucket by the public address', async () => {
    await put('photos/mine.png', await picture(20, 10))
    await world.run(`update storage.objects set owner_id = '${ALICE}' where name = 'mine.png'`)
    const url = '/render/image/authenticated/photos/mine.png?width=10'
    const as = async (who: 'alice' | 'bob' | 'anon', path = url): Promise<number> =>
      (await world.request(who, { method: 'GET', url: path })).status
    expect([await as('alice'), await as('bob'), await as('anon')]).toEqual([200, 400, 400])
    expect(await as('alice', url.replace('authenticated', 'public'))).toBe(400)
  })
})

describe('what cannot be drawn', () => {
  const refused = async (name: string): Promise<unknown> =>
    (await get(`/render/image/public/pages/${name}?width=10`)).body

  test('is refused: SVG, text, HTML that calls itself an image, and an image that is cut off', async () => {
    await put('pages/a.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml')
    await put('pages/fake.png', '<html><script>alert(1)</script></html>', 'image/png')
    await put('pages/empty.png', '')
    await put('pages/cut.png', (await picture(400, 200)).subarray(0, 300))
    for (const name of ['a.svg', 'fake.png', 'empty.png', 'cut.png'])
      expect([name, await refused(name)]).toMatchObject([name, { statusCode: '400', code: 'InvalidRequest' }])
  })

  test('is refused: few bytes that claim to be many pixels, and too many bytes', async () => {
    const bomb = Buffer.from(await picture(400, 200))
    bomb.writeUInt32BE(60_000, 16)
    bomb.writeUInt32BE(60_000, 20)
    await put('pages/bomb.png', bomb)
    expect(await refused('bomb.png')).toMatchObject({ statusCode: '400' })
    // 49 million pixels in a few kB are allowed, 64 million are not.
    await put('pages/black.png', blank(7_000))
    expect((await get('/render/image/public/pages/black.png?width=10')).status).toBe(200)
    await put('pages/bomb.png', blank(8_000))
    expect(await refused('bomb.png')).toMatchObject({
      statusCode: '400',
      message: 'The image cannot be transformed: Input image exceeds pixel limit',
    })
    await put('pages/large.png', Buffer.concat([await picture(4, 4), Buffer.alloc(25_000_000)]))
    expect(await refused('large.png')).toMatchObject({ statusCode: '400', message: 'The image has more than 25 MB' })
  })

  test('is refused: a parameter that is none', async () => {
    expect((await get('/render/image/public/pages/a.png?width=x')).body).toMatchObject({
      message: 'width must be a number',
    })
  })
})

describe('what was drawn', () => {
  test('goes with the version that it was drawn of', async () => {
    await put('pages/gone.png', await picture(30, 30))
    const before = new Set(kept())
    await get('/render/image/public/pages/gone.png?width=7')
    const [name] = kept().filter((one) => !before.has(one))
    expect(name).toBeDefined()
    await world.request('service', { method: 'DELETE', url: '/object/pages/gone.png' })
    expect(kept()).not.toContain(name)
  })

  test('is of the new picture after an overwrite', async () => {
    await put('pages/new.png', await picture(40, 40))
    await get('/render/image/public/pages/new.png?width=10&format=origin')
    await put(
      'pages/new.png',
      await sharp({ create: { width: 40, height: 40, channels: 3, background: 'lime' } })
        .png()
        .toBuffer(),
    )
    const { bytes } = await get('/render/image/public/pages/new.png?width=10&format=origin')
    expect([...(await sharp(bytes).raw().toBuffer()).subarray(0, 3)]).toEqual([0, 255, 0])
  })

  test('takes no more place than it may', async () => {
    const noise = await sharp({
      create: {
        width: 300,
        height: 300,
        channels: 3,
        background: 'red',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    })
      .png()
      .toBuffer()
    await put('pages/noise.png', noise)
    for (let width = 60; width < 90; width += 3)
      await get(`/render/image/public/pages/noise.png?width=${width}&format=origin`)
    const entries = readdirSync(join(world.folder, 'images'), { recursive: true, withFileTypes: true })
    const sizes = entries.filter((one) => one.isFile()).map((one) => statSync(join(one.parentPath, one.name)).size)
    expect(sizes.length).toBeGreaterThan(0)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(40 * 1024)
  })

  test('is drawn again when its file is gone', async () => {
    const url = '/render/image/public/pages/a.png?width=33&format=origin'
    const first = await get(url)
    rmSync(join(world.folder, 'images'), { recursive: true })
    expect((await get(url)).bytes.equals(first.bytes)).toBe(true)
  })
})

describe('a signed address of an image', () => {
  async function sign(transform: object): Promise<string> {
    const url = '/object/sign/pages/a.png'
    const { body } = await world.request('service', { method: 'POST', url, payload: { expiresIn: 60, transform } })
    return (body as { signedURL: string }).signedURL
  }

  test('gives the image that was signed, whatever else it asks for', async () => {
    const signed = await sign({ width: 30, height: 30 })
    const answer = await world.request('nobody', { method: 'GET', url: `${signed}&width=200&height=9` })
    expect(answer.headers['x-transformations']).toBe('height:30,width:30,resizing_type:fill')
    expect(await sharp(answer.bytes).metadata()).toMatchObject({ width: 30, height: 30 })
  })

  test('does not give the original, nor another image', async () => {
    const signed = await sign({ width: 30 })
    for (const url of [signed.replace('/render/image/', '/object/'), signed.replace('a.png', 'turned.jpg')])
      expect((await world.request('nobody', { method: 'GET', url })).body).toMatchObject({ code: 'InvalidSignature' })
  })
})

test('without transforms the addresses say so, and signed ones lead to the file as it is', async () => {
  await using off = await openStorageWorld({ options: { storageImageTransformationEnabled: false } })
  const answer = await off.request('service', { method: 'GET', url: '/render/image/public/pages/a.png?width=1' })
  expect(answer.body).toMatchObject({ code: 'FeatureNotEnabled', statusCode: '409' })
  await off.run(`insert into storage.buckets (id, name) values ('box', 'box')`)
  await off.request('service', { method: 'POST', url: '/object/box/a', payload: 'a file' })
  const payload = { expiresIn: 60, transform: { width: 1 } }
  const { body } = await off.request('service', { method: 'POST', url: '/object/sign/box/a', payload })
  const { signedURL } = body as { signedURL: string }
  expect((await off.request('nobody', { method: 'GET', url: signedURL })).text).toBe('a file')
})
