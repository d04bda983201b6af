import { createHash } from 'node:crypto'
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderOf, openStorageWorld, type StorageWorld } from './storage-world.ts'

let world: StorageWorld
let mine: string

beforeAll(async () => {
  world = await openStorageWorld()
  mine = await folderOf(world.alice)
})
afterAll(() => world[Symbol.asyncDispose]())

const photos = (): ReturnType<StorageWorld['service']['from']> => world.alice.storage.from('photos')
const NOT_FOUND = { status: 400, statusCode: '404', code: 'NoSuchKey', message: 'Object not found' }
const RLS = {
  status: 400,
  statusCode: '403',
  code: 'AccessDenied',
  message: 'new row violates row-level security policy',
}

describe('file.upload', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-upload-'))
  const path = join(folder, 'file.bin')
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_unused, index) => index % 251))
  writeFileSync(path, bytes)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const form = new FormData()
  form.append('', new File([bytes], 'form.bin', { type: 'image/png' }))
  test.each([
    ['a Blob', () => new Blob([bytes], { type: 'image/png' })],
    ['a File', () => new File([bytes], 'a.png', { type: 'image/png' })],
    ['a form', () => form],
    ['a Buffer', () => bytes],
    ['an ArrayBuffer', () => new Uint8Array(bytes).buffer],
    ['a stream of Node', () => createReadStream(path)],
    ['a ReadableStream', () => new Blob([bytes]).stream()],
  ])('stores %s', async (kind, body) => {
    const name = `${mine}/${kind}`
    const { data, error } = await photos().upload(name, body(), { contentType: 'image/png', cacheControl: '60' })
    expect(error).toBeNull()
    expect(data).toEqual({ id: expect.any(String) as string, path: name, fullPath: `photos/${name}` })
    const read = await photos().download(name)
    expect(Buffer.from(await (read.data as Blob).arrayBuffer()).equals(bytes)).toBe(true)
    expect((await photos().info(name)).data).toMatchObject({
      size: bytes.length,
      contentType: 'image/png',
      cacheControl: 'max-age=60',
    })
  })

  test('stores user metadata, for every kind of body', async () => {
    for (const body of ['text', new Blob(['text'])]) {
      const name = `${mine}/metadata-${typeof body}.txt`
      await photos().upload(name, body, { metadata: { site: 'Nord', n: 3 } })
      expect((await photos().info(name)).data?.metadata).toEqual({ site: 'Nord', n: 3 })
    }
  })

  test('sets the user as the owner', async () => {
    await photos().upload(`${mine}/owned`, 'x')
    const rows = await world.holdfast.admin.withClient(
      async (client) =>
        (
          await client.query<{ owner: string; owner_id: string }>(
            'select owner, owner_id from storage.objects where name = $1',
            [`${mine}/owned`],
          )
        ).rows,
    )
    expect(rows).toEqual([{ owner: mine, owner_id: mine }])
  })

  test('with upsert replaces an existing object', async () => {
    const name = `${mine}/twice.txt`
    await photos().upload(name, 'one')
    expect((await photos().upload(name, 'two', { upsert: true })).error).toBeNull()
    expect(await (await photos().download(name)).data?.text()).toBe('two')
  })

  test('stores an empty file, and JSON and text byte for byte', async () => {
    for (const [name, body, type] of [
      ['empty', '', 'text/plain'],
      ['data.json', '{"a": 1 }', 'application/json'],
    ] as const) {
      expect((await photos().upload(`${mine}/${name}`, body, { contentType: type })).error).toBeNull()
      expect(await (await photos().download(`${mine}/${name}`)).data?.text()).toBe(body)
    }
  })

  describe('refused', () => {
    test('with a key in use', async () => {
      await photos().upload(`${mine}/taken`, 'one')
      expect((await photos().upload(`${mine}/taken`, 'two')).error).toMatchObject({
        status: 400,
        statusCode: '409',
        code: 'KeyAlreadyExists',
        message: 'The resource already exists',
      })
    })

    test("into another user's folder, before the body is read", async () => {
      expect((await world.bob.storage.from('photos').upload(`${mine}/foreign`, 'x')).error).toMatchObject(RLS)
      expect((await world.anon.from('photos').upload('x', 'x')).error).toMatchObject(RLS)
    })

    test('into an unknown bucket', async () => {
      expect((await world.service.from('nowhere').upload('a', 'x')).error).toMatchObject({
        statusCode: '404',
        code: 'NoSuchBucket',
      })
    })

    test.each(['a\\b', 'é.png', 'a#b', 'a%b', 'emoji😀', '~x', '[1]'])('with the key %j', async (key) => {
      const { error } = await world.service.from('pages').upload(encodeURIComponent(key), 'x')
      expect(error).toMatchObject({
        status: 400,
        statusCode: '400',
        code: 'InvalidKey',
        message: `Invalid key: ${key}`,
      })
    })

    test("above the bucket's limits", async () => {
      await world.service.createBucket('small', { public: false, fileSizeLimit: 10, allowedMimeTypes: ['text/plain'] })
      const small = world.service.from('small')
      const large = {
        status: 400,
        statusCode: '413',
        code: 'EntityTooLarge',
        message: 'The object exceeded the maximum allowed size',
      }
      expect((await small.upload('a', 'x'.repeat(11), { contentType: 'text/plain' })).error).toMatchObject(large)
      expect((await small.upload('a', new Blob(['x'.repeat(11)], { type: 'text/plain' }))).error).toMatchObject(large)
      expect((await small.upload('a', 'x', { contentType: 'image/png' })).error).toMatchObject({
        statusCode: '415',
        code: 'InvalidMimeType',
        message: 'mime type image/png is not supported',
      })
      expect((await small.upload('a', 'x'.repeat(10), { contentType: 'text/plain' })).error).toBeNull()
    })
  })
})

describe('file.update', () => {
  test('replaces an object, or creates it', async () => {
    for (const body of ['one', 'two']) expect((await photos().update(`${mine}/updated`, body)).error).toBeNull()
    expect(await (await photos().download(`${mine}/updated`)).data?.text()).toBe('two')
  })
})

describe('file.download', () => {
  test('returns a stream', async () => {
    await photos().upload(`${mine}/streamed`, 'streamed')
    const { data } = await photos().download(`${mine}/streamed`).asStream()
    expect(await new Response(data).text()).toBe('streamed')
  })

  test('is refused to other users, as if the object did not exist', async () => {
    await photos().upload(`${mine}/private`, 'x')
    expect((await world.bob.storage.from('photos').download(`${mine}/private`)).error).toMatchObject(NOT_FOUND)
    expect((await world.anon.from('photos').download(`${mine}/private`)).error).toMatchObject(NOT_FOUND)
  })
})

describe('file.info', () => {
  test("returns the object's metadata", async () => {
    await photos().upload(`${mine}/known.txt`, 'known', { contentType: 'text/plain' })
    expect((await photos().info(`${mine}/known.txt`)).data).toMatchObject({
      name: `${mine}/known.txt`,
      bucketId: 'photos',
      size: 5,
      contentType: 'text/plain',
      etag: `"${createHash('md5').update('known').digest('hex')}"`,
    })
  })

  test('is refused to other users', async () => {
    expect((await world.bob.storage.from('photos').info(`${mine}/known.txt`)).error).toMatchObject(NOT_FOUND)
  })
})

describe('file.exists', () => {
  test('returns true only for objects that the user may see', async () => {
    await photos().upload(`${mine}/exists`, 'x')
    expect((await photos().exists(`${mine}/exists`)).data).toBe(true)
    expect((await photos().exists(`${mine}/exists-not`)).data).toBe(false)
    expect((await world.bob.storage.from('photos').exists(`${mine}/exists`)).data).toBe(false)
  })
})

describe('file.copy', () => {
  test('copies an object, also to another bucket', async () => {
    await photos().upload(`${mine}/original.txt`, 'same', { metadata: { kept: true } })
    const { data } = await photos().copy(`${mine}/original.txt`, `${mine}/copied.txt`)
    expect(data).toEqual({ path: `photos/${mine}/copied.txt` })
    await photos().update(`${mine}/original.txt`, 'other')
    expect(await (await photos().download(`${mine}/copied.txt`)).data?.text()).toBe('same')
    expect((await photos().info(`${mine}/copied.txt`)).data?.metadata).toEqual({ kept: true })
    await world.service.from('photos').copy(`${mine}/copied.txt`, 'copied.txt', { destinationBucket: 'pages' })
    expect(await (await world.service.from('pages').download('copied.txt')).data?.text()).toBe('same')
  })

  test("is refused into another user's folder, and for an object that the user may not see", async () => {
    expect((await photos().copy(`${mine}/copied.txt`, 'other/copied.txt')).error).toMatchObject(RLS)
    expect((await world.bob.storage.from('photos').copy(`${mine}/copied.txt`, 'x')).error).toMatchObject(NOT_FOUND)
  })
})

describe('file.move', () => {
  test('renames an object', async () => {
    await photos().upload(`${mine}/before.txt`, 'moved')
    expect((await photos().move(`${mine}/before.txt`, `${mine}/after.txt`)).data).toEqual({
      message: 'Successfully moved',
    })
    expect(await (await photos().download(`${mine}/after.txt`)).data?.text()).toBe('moved')
    expect((await photos().download(`${mine}/before.txt`)).error).toMatchObject(NOT_FOUND)
  })

  describe('refused', () => {
    test('to a name in use, and keeps both objects', async () => {
      await photos().upload(`${mine}/m1`, 'one')
      await photos().upload(`${mine}/m2`, 'two')
      expect((await photos().move(`${mine}/m1`, `${mine}/m2`)).error).toMatchObject({
        statusCode: '409',
        code: 'KeyAlreadyExists',
      })
      expect(await (await photos().download(`${mine}/m2`)).data?.text()).toBe('two')
    })

    test("into another user's folder", async () => {
      expect((await photos().move(`${mine}/m1`, 'other/m1')).error).toMatchObject(RLS)
    })
  })
})

describe('file.remove', () => {
  test('deletes the objects that the user may delete, and returns them', async () => {
    await photos().upload(`${mine}/gone`, 'x')
    const { data } = await photos().remove([`${mine}/gone`, `${mine}/never`])
    expect(data?.map(({ name }) => name)).toEqual([`${mine}/gone`])
    expect((await photos().exists(`${mine}/gone`)).data).toBe(false)
  })

  test("returns an empty list for other users' objects and keeps them", async () => {
    await photos().upload(`${mine}/stays`, 'x')
    expect((await world.bob.storage.from('photos').remove([`${mine}/stays`])).data).toEqual([])
    expect((await photos().exists(`${mine}/stays`)).data).toBe(true)
  })

  test('is refused for more than 1,000 names, and deletes none', async () => {
    const names = Array.from({ length: 20_000 }, (_unused, index) => `${mine}/many-${index}`)
    expect((await photos().remove([`${mine}/stays`, ...names])).error).toMatchObject({
      status: 400,
      code: 'InvalidRequest',
    })
    expect((await photos().exists(`${mine}/stays`)).data).toBe(true)
  })
})

describe('file.createSignedUrl', () => {
  test('returns a URL that works without a key', async () => {
    await photos().upload(`${mine}/signed file.txt`, 'signed', { contentType: 'text/plain' })
    const { data } = await photos().createSignedUrl(`${mine}/signed file.txt`, 60, { download: 'name.txt' })
    const answer = await fetch(data?.signedUrl ?? '')
    expect(await answer.text()).toBe('signed')
    expect(answer.headers.get('content-disposition')).toBe("attachment; filename=name.txt; filename*=UTF-8''name.txt")
    expect(Date.parse(answer.headers.get('expires') ?? '')).toBeGreaterThan(Date.now())
  })

  test('is refused for an object that the user may not see', async () => {
    expect((await world.bob.storage.from('photos').createSignedUrl(`${mine}/signed file.txt`, 60)).error).toMatchObject(
      NOT_FOUND,
    )
  })
})

describe('file.createSignedUrls', () => {
  test('returns a URL or an error per path', async () => {
    await photos().upload(`${mine}/s1`, 'one')
    const { data } = await photos().createSignedUrls([`${mine}/s1`, `${mine}/s0`], 60)
    expect(data?.[1]).toMatchObject({
      path: `${mine}/s0`,
      error: 'Either the object does not exist or you do not have access to it',
    })
    expect(await (await fetch(data?.[0]?.signedUrl ?? '')).text()).toBe('one')
  })

  test('is refused for more than 1,000 paths', async () => {
    const paths = Array.from({ length: 1_001 }, () => `${mine}/s1`)
    expect((await photos().createSignedUrls(paths, 60)).error).toMatchObject({ status: 400, code: 'InvalidRequest' })
    expect((await photos().createSignedUrls(paths.slice(1), 60)).data).toHaveLength(1_000)
  })
})

describe('file.createSignedUploadUrl', () => {
  test('is refused where the user may not upload', async () => {
    expect((await world.bob.storage.from('photos').createSignedUploadUrl(`${mine}/x`)).error).toMatchObject(RLS)
  })
})

describe('file.uploadToSignedUrl', () => {
  test('stores a file without a key, for the user who created the URL', async () => {
    const { data } = await photos().createSignedUploadUrl(`${mine}/by-address`)
    const { error } = await world.anon
      .from('photos')
      .uploadToSignedUrl(`${mine}/by-address`, data?.token ?? '', new Blob(['by address']))
    expect(error).toBeNull()
    expect(await (await photos().download(`${mine}/by-address`)).data?.text()).toBe('by address')
  })

  describe('refused', () => {
    test('for another path', async () => {
      const { data } = await photos().createSignedUploadUrl(`${mine}/this`)
      const { error } = await world.anon.from('photos').uploadToSignedUrl(`${mine}/that`, data?.token ?? '', 'x')
      expect(error).toMatchObject({ statusCode: '400', code: 'InvalidSignature', message: 'Invalid signature' })
    })

    test('a second time, unless the URL was created with upsert', async () => {
      const once = await photos().createSignedUploadUrl(`${mine}/once`)
      const again = await photos().createSignedUploadUrl(`${mine}/again`, { upsert: true })
      const put = async (path: string, token: string | undefined): Promise<string | undefined> =>
        ((await world.anon.from('photos').uploadToSignedUrl(path, token ?? '', 'x')).error as { code?: string } | null)
          ?.code
      expect([await put(`${mine}/once`, once.data?.token), await put(`${mine}/once`, once.data?.token)]).toEqual([
        undefined,
        'KeyAlreadyExists',
      ])
      expect([await put(`${mine}/again`, again.data?.token), await put(`${mine}/again`, again.data?.token)]).toEqual([
        undefined,
        undefined,
      ])
    })
  })
})

describe('file.getPublicUrl', () => {
  test('returns a URL that works without a key, in public buckets only', async () => {
    await world.service.from('pages').upload('public.txt', 'public', { contentType: 'text/plain' })
    expect(await (await fetch(world.anon.from('pages').getPublicUrl('public.txt').data.publicUrl)).text()).toBe(
      'public',
    )
    const hidden = await fetch(world.anon.from('photos').getPublicUrl(`${mine}/s1`).data.publicUrl)
    expect({ status: hidden.status, body: await hidden.json() }).toEqual({
      status: 400,
      body: { statusCode: '404', error: 'Bucket not found', message: 'Bucket not found', code: 'NoSuchBucket' },
    })
  })
})

describe('file.purgeCache', () => {
  test('succeeds for the service key: no cache is between', async () => {
    expect((await world.service.from('pages').purgeCache('public.txt')).error).toBeNull()
  })
})
