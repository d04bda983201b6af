import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStorageWorld, type Answer, type StorageWorld, type Who } from './storage-world.ts'

// Routes that storage-js does not call, or not in every form, and the operation that policies read.

let world: StorageWorld

beforeAll(async () => {
  world = await openStorageWorld()
  await world.run(`
    insert into storage.buckets (id, name, public) values ('box', 'box', false), ('open', 'open', true);
    create policy alice on storage.objects for all to authenticated
      using (bucket_id = 'open' or current_setting('request.jwt.claims', true)::jsonb ->> 'sub' like 'a11ce%') with check (true)`)
  for (const bucket of ['box', 'open'])
    await send('POST', `/object/${bucket}/a/b.txt`, { payload: 'bytes', headers: { 'content-type': 'text/plain' } })
})
afterAll(() => world[Symbol.asyncDispose]())

type Sent = Parameters<StorageWorld['request']>[1]

function send(
  method: Sent['method'] & string,
  url: string,
  more: Partial<Sent> = {},
  who: Who = 'service',
): Promise<Answer> {
  return world.request(who, { ...more, method, url } as Sent)
}

const codeOf = ({ body }: Answer): unknown => (body as { code?: unknown } | undefined)?.code

describe('bytes and what is known of them', () => {
  test.each([
    ['/object/box/a/b.txt', 'bytes', 'NoSuchKey', 'NoSuchBucket'],
    ['/object/authenticated/box/a/b.txt', 'bytes', 'NoSuchKey', 'NoSuchBucket'],
    ['/object/public/open/a/b.txt', 'bytes', 'bytes', 'bytes'],
    ['/object/public/box/a/b.txt', 'NoSuchBucket', 'NoSuchBucket', 'NoSuchBucket'],
    ['/object/open/a/b.txt', 'bytes', 'bytes', 'bytes'],
  ])('%s', async (url, forAlice, forBob, forNobody) => {
    for (const [who, expected] of [
      ['alice', forAlice],
      ['bob', forBob],
      ['nobody', forNobody],
    ] as const) {
      const answer = await send('GET', url, {}, who)
      expect([who, codeOf(answer) ?? answer.text]).toEqual([who, expected])
      const head = await send('HEAD', url, {}, who)
      const size = answer.status === 200 ? '5' : undefined
      expect([who, head.status, head.text]).toEqual([who, answer.status, ''])
      if (size !== undefined)
        expect(head.headers).toMatchObject({ 'content-length': size, etag: answer.headers['etag'] })
      const info = await send('GET', url.replace('/object/', '/object/info/'), {}, who)
      expect([who, codeOf(info) ?? (info.body as { size: unknown }).size]).toEqual([
        who,
        answer.status === 200 ? 5 : expected,
      ])
    }
  })

  test('have the name that the address asks for, whatever its characters', async () => {
    const dispositionOf = async (query: string): Promise<unknown> =>
      (await send('GET', `/object/public/open/a/b.txt${query}`)).headers['content-disposition']
    expect(await dispositionOf('')).toBeUndefined()
    expect(await dispositionOf('?download=')).toBe('attachment;')
    expect(await dispositionOf('?download')).toBe('attachment;')
    for (const name of ['Übung 1.pdf', '日本語.txt', '"quoted"; filename=x', 'a/b\\c', '😀', '%41'])
      expect(await dispositionOf(`?download=${encodeURIComponent(name)}`)).toBe(
        `attachment; filename=${encodeURIComponent(name)}; filename*=UTF-8''${encodeURIComponent(name)}`,
      )
    expect(await dispositionOf('?download=a&download=b')).toMatch(/filename=b;/)
  })

  test('say how long they may be kept: as they were stored, or until their address ends', async () => {
    const { headers } = await send('GET', '/object/public/open/a/b.txt')
    expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'x-robots-tag': 'none', 'accept-ranges': 'bytes' })
    const { body } = await send('POST', '/object/sign/open/a/b.txt', { payload: { expiresIn: 600 } })
    const signed = await send('GET', (body as { signedURL: string }).signedURL, {}, 'nobody')
    expect([signed.headers['cache-control'], Date.parse(String(signed.headers['expires'])) > Date.now()]).toEqual([
      undefined,
      true,
    ])
  })
})

test('HEAD and info name the transform that they are asked about, and have the facts of the file', async () => {
  const query = '?width=24&height=3000&resize=contain&quality=50'
  const plain = await send('HEAD', '/object/public/open/a/b.txt')
  expect(plain.headers).not.toHaveProperty('x-transformations')
  for (const [method, url] of [
    ['HEAD', '/object/public/open/a/b.txt'],
    ['GET', '/object/info/public/open/a/b.txt'],
  ] as const) {
    const answer = await send(method, url + query)
    expect([url, answer.status, answer.headers['x-transformations']]).toEqual([
      url,
      200,
      'height:2000,width:24,resizing_type:fit,quality:50',
    ])
    if (method === 'HEAD') expect(answer.headers['content-length']).toBe(plain.headers['content-length'])
    expect((await send(method, `${url}?width=x`)).status).toBe(400)
  }
})

describe('a copy', () => {
  beforeAll(async () => {
    await send('PUT', '/object/box/source', {
      payload: 'x',
      headers: {
        'content-type': 'text/csv',
        'cache-control': 'max-age=60',
        'x-metadata': Buffer.from('{"of":"source"}').toString('base64'),
      },
    })
  })
  const copy = (body: object, headers: Record<string, string> = {}): Promise<Answer> =>
    send('POST', '/object/copy', { payload: { bucketId: 'box', sourceKey: 'source', ...body }, headers })
  const infoOf = async (key: string): Promise<object> => (await send('GET', `/object/info/box/${key}`)).body as object

  test('has the metadata of its source, or what the request says', async () => {
    const { status, body } = await copy({ destinationKey: 'same' })
    expect([status, body]).toMatchObject([200, { Key: 'box/same', name: 'same', bucket_id: 'box' }])
    expect(await infoOf('same')).toMatchObject({
      content_type: 'text/csv',
      cache_control: 'max-age=60',
      metadata: { of: 'source' },
    })
    await copy(
      { destinationKey: 'other', copyMetadata: false, metadata: { mimetype: 'text/plain', cacheControl: 'max-age=1' } },
      { 'x-metadata': Buffer.from('{"of":"copy"}').toString('base64') },
    )
    expect(await infoOf('other')).toMatchObject({
      content_type: 'text/plain',
      cache_control: 'max-age=1',
      metadata: { of: 'copy' },
    })
  })

  test('replaces an object only when it says so', async () => {
    expect(codeOf(await copy({ destinationKey: 'same' }))).toBe('KeyAlreadyExists')
    expect((await copy({ destinationKey: 'same' }, { 'x-upsert': 'true' })).status).toBe(200)
  })
})

test('what is moved goes to another bucket, and its answer says no more than that', async () => {
  await send('PUT', '/object/box/moving', { payload: 'x', headers: { 'content-type': 'text/plain' } })
  const payload = { bucketId: 'box', sourceKey: 'moving', destinationKey: 'moved', destinationBucket: 'open' }
  expect((await send('POST', '/object/move', { payload })).body).toEqual({ message: 'Successfully moved' })
  expect((await send('GET', '/object/public/open/moved')).text).toBe('x')
  expect((await send('DELETE', '/object/open/moved')).body).toEqual({ message: 'Successfully deleted' })
  expect(codeOf(await send('DELETE', '/object/open/moved'))).toBe('NoSuchKey')
})

describe('addresses that only answer', () => {
  test.each(['/status', '/health', '/version'])('%s needs no key', async (url) => {
    expect((await send('GET', url, {}, 'nobody')).status).toBe(200)
  })

  test.each(['/cdn/box/a/b.txt', '/cdn/box', '/cdn', '/cdn/box/a/b.txt?transformations=true'])(
    '%s is for the service key',
    async (url) => {
      expect(await send('DELETE', url)).toMatchObject({ status: 200, body: { message: 'success' } })
      for (const who of ['alice', 'anon'] as const)
        expect(await send('DELETE', url, {}, who)).toMatchObject({ status: 403, body: { code: 'AccessDenied' } })
    },
  )

  test.each([
    ['POST', '/vector/CreateIndex'],
    ['POST', '/vector/PutVectors'],
    ['POST', '/vector/QueryVectors'],
    ['GET', '/iceberg/bucket'],
    ['POST', '/iceberg/bucket'],
    ['DELETE', '/iceberg/bucket/x'],
    ['GET', '/iceberg/v1/config'],
    ['GET', '/bucket/box/lifecycle'],
    ['PUT', '/bucket/box/lifecycle'],
    ['DELETE', '/bucket/box/lifecycle'],
  ] as const)('%s %s is of a feature that is not offered', async (method, url) => {
    for (const who of ['service', 'alice'] as const)
      expect((await send(method, url, method === 'GET' ? {} : { payload: {} }, who)).body).toMatchObject({
        statusCode: '409',
        code: 'FeatureNotEnabled',
      })
  })

  test.each([
    ['POST', { name: 'x', type: 'ANALYTICS' }, 'FeatureNotEnabled'],
    ['POST', { name: 'x', type: 'VECTOR' }, 'InvalidRequest'],
  ] as const)('%s /bucket of another kind is refused: %j', async (method, payload, code) => {
    expect(codeOf(await send(method, '/bucket', { payload }))).toBe(code)
  })

  test.each([
    ['GET', '/nowhere'],
    ['GET', '/object'],
    ['PATCH', '/object/box/a'],
    ['POST', '/bucket/box'],
    ['HEAD', '/nowhere'],
  ] as const)('%s %s is none', async (method, url) => {
    expect((await send(method, url)).status).toBe(404)
  })
})

describe('a policy reads the name of the operation', () => {
  beforeAll(async () => {
    await world.run(`
      create function public.tell() returns boolean language plpgsql as
        $$ begin raise exception 'operation %', storage.operation(); end $$;
      create policy tell on storage.objects as restrictive to anon using (public.tell()) with check (public.tell());
      create policy anyone on storage.objects to anon using (true) with check (true);
      create policy tell on storage.buckets as restrictive to anon using (public.tell()) with check (public.tell());
      create policy anyone on storage.buckets to anon using (true) with check (true)`)
  })

  const text = { payload: 'x', headers: { 'content-type': 'text/plain' } }
  const moved = { payload: { bucketId: 'box', sourceKey: 'a/b.txt', destinationKey: 'c' } }
  const tus = {
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': '1',
      'upload-metadata': `bucketName ${btoa('box')},objectName ${btoa('tus')}`,
    },
  }
  const operations: readonly (readonly [operation: string, method: string, url: string, more?: Partial<Sent>])[] = [
    ['storage.bucket.create', 'POST', '/bucket', { payload: { name: 'new' } }],
    ['storage.bucket.list', 'GET', '/bucket'],
    ['storage.bucket.get', 'GET', '/bucket/box'],
    ['storage.bucket.update', 'PUT', '/bucket/box', { payload: { public: true } }],
    ['storage.object.upload', 'POST', '/object/box/new', text],
    ['storage.object.upload_update', 'PUT', '/object/box/new', text],
    ['storage.object.get_authenticated', 'GET', '/object/box/a/b.txt'],
    ['storage.object.get_authenticated', 'GET', '/object/authenticated/box/a/b.txt'],
    ['object.get_authenticated_info', 'GET', '/object/info/box/a/b.txt'],
    ['object.get_authenticated_info', 'GET', '/object/info/authenticated/box/a/b.txt'],
    ['storage.object.list', 'POST', '/object/list/box', { payload: { prefix: '' } }],
    ['storage.object.list_v2', 'POST', '/object/list-v2/box', { payload: {} }],
    ['storage.object.copy', 'POST', '/object/copy', moved],
    ['storage.object.move', 'POST', '/object/move', moved],
    ['storage.object.delete', 'DELETE', '/object/box/a/b.txt'],
    ['storage.object.delete_many', 'DELETE', '/object/box', { payload: { prefixes: ['a/b.txt'] } }],
    ['storage.object.sign', 'POST', '/object/sign/box/a/b.txt', { payload: { expiresIn: 60 } }],
    ['storage.object.sign_many', 'POST', '/object/sign/box', { payload: { expiresIn: 60, paths: ['a/b.txt'] } }],
    ['storage.object.sign_upload_url', 'POST', '/object/upload/sign/box/new'],
    ['storage.render.image_authenticated', 'GET', '/render/image/authenticated/box/a/b.txt?width=1'],
    ['storage.tus.upload.create', 'POST', '/upload/resumable', tus],
  ]
  test.each(operations.map((one) => [...one, {}] as const))('%s: %s %s', async (operation, method, url, more) => {
    const answer = await send(method as 'GET', url, more, 'anon')
    expect(answer.text).toContain(`operation ${operation}`)
  })
})

describe('what a table of the project refers to', () => {
  test.each(['restrict', 'no action'])('is not deleted, and keeps its bytes: on delete %s', async (rule) => {
    const url = '/object/box/referred.txt'
    await send('PUT', url, { payload: 'kept', headers: { 'content-type': 'text/plain' } })
    await world.run(`create table public.papers (object_id uuid references storage.objects (id) on delete ${rule});
      insert into public.papers select id from storage.objects where name = 'referred.txt'`)
    const refusal = { statusCode: '409', code: 'ResourceReferenced' }
    expect((await send('DELETE', url)).body).toMatchObject(refusal)
    const many = await send('DELETE', '/object/box', { payload: { prefixes: ['referred.txt'] } })
    expect([many.status, many.body]).toMatchObject([400, refusal])
    expect(many.text).not.toContain('papers')
    expect((await send('GET', url)).text).toBe('kept')
    await world.run('drop table public.papers')
    expect((await send('DELETE', url)).status).toBe(200)
  })

  test('is no reason to say of a bucket that it is not empty', async () => {
    await send('POST', '/bucket', { payload: { name: 'referred' } })
    await world.run(`create table public.shelves (bucket_id text references storage.buckets (id));
      insert into public.shelves values ('referred')`)
    const remove = async (): Promise<unknown> => (await send('DELETE', '/bucket/referred')).body
    expect(await remove()).toMatchObject({
      code: 'ResourceReferenced',
      message: 'The resource could not be updated or removed due to a foreign key constraint',
    })
    await world.run(`drop table public.shelves;
      insert into storage.s3_multipart_uploads (id, upload_signature, bucket_id, key, version)
        values ('u', '', 'referred', 'k', 'v')`)
    expect(await remove()).toMatchObject({
      code: 'ResourceReferenced',
      message: 'The bucket could not be updated because it is referenced by a pending multipart upload.',
    })
    await world.run('delete from storage.s3_multipart_uploads')
    expect(await remove()).toEqual({ message: 'Successfully deleted' })
  })
})
