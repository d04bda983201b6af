import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLogger, systemClock } from '@holdfast/foundation'
import { UPLOADS_OF_PERSON_MAX, UPLOAD_LIFETIME_MS } from '../src/limits.ts'
import { UploadStore } from '../src/resumable/upload-store.ts'
import { openStorageWorld, type Answer, type StorageWorld, type Who } from './storage-world.ts'

/*
 * Cases storage-js cannot produce: the server stops between two steps, and one user has many uploads. The tests write the leftovers of a killed server into its
 * folder.
 */

let world: StorageWorld

beforeAll(async () => {
  world = await openStorageWorld()
  await world.run(`
    insert into storage.buckets (id, name) values ('videos', 'videos');
    create policy everything on storage.objects for all to authenticated using (true) with check (true);
  `)
})
afterAll(() => world[Symbol.asyncDispose]())

const TUS = { 'tus-resumable': '1.0.0' }
const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** @returns the id of a ten-byte upload */
async function create(who: Who, key: string): Promise<Answer> {
  return world.request(who, {
    method: 'POST',
    url: '/upload/resumable',
    headers: {
      ...TUS,
      'upload-length': '10',
      'upload-metadata': `bucketName ${base64('videos')},objectName ${base64(key)}`,
    },
  })
}

function idOf({ headers }: Answer): string {
  return String(headers['location']).split('/').at(-1) ?? ''
}

const folder = (): string => join(world.folder, 'resumable')

async function head(who: Who, id: string): Promise<Answer> {
  return world.request(who, { method: 'HEAD', url: `/upload/resumable/${id}`, headers: TUS })
}

async function objects(key: string): Promise<readonly unknown[]> {
  return world.run(`select version, owner_id, metadata->>'size' as size from storage.objects where name = '${key}'`)
}

test('an upload whose server ended after the last byte is an object before the client learns that all bytes are there', async () => {
  const id = idOf(await create('alice', 'killed.mp4'))
  writeFileSync(join(folder(), `${id}.bytes`), '0123456789')
  expect(await objects('killed.mp4')).toEqual([])
  const answer = await head('alice', id)
  expect([answer.status, answer.headers['upload-offset']]).toEqual([200, '10'])
  expect(await objects('killed.mp4')).toMatchObject([{ version: id, size: '10' }])
  expect(readdirSync(folder()).filter((name) => name.startsWith(id))).toEqual([`${id}.json`])
  const read = await world.request('alice', { method: 'GET', url: '/object/authenticated/videos/killed.mp4' })
  expect(read.text).toBe('0123456789')
})

test('and one whose server ended after the object was there stays as it is', async () => {
  const id = idOf(await create('alice', 'killed-later.mp4'))
  writeFileSync(join(folder(), `${id}.bytes`), '0123456789')
  await head('alice', id)
  const before = await objects('killed-later.mp4')
  const path = join(folder(), `${id}.json`)
  const record = JSON.parse(readFileSync(path, 'utf8')) as object
  writeFileSync(path, JSON.stringify({ ...record, isFinished: false }))
  writeFileSync(join(folder(), `${id}.bytes`), '0123456789')
  expect((await head('alice', id)).headers['upload-offset']).toBe('10')
  expect(await objects('killed-later.mp4')).toEqual(before)
})

test('who may not write the object does not finish it by asking', async () => {
  const id = idOf(await create('alice', 'not-yours.mp4'))
  writeFileSync(join(folder(), `${id}.bytes`), '0123456789')
  const answer = await head('anon', id)
  expect(answer.status).toBe(403)
  expect(await objects('not-yours.mp4')).toEqual([])
})

test('an upload that says its length late is held to the limit of its bucket', async () => {
  await world.run(`insert into storage.buckets (id, name, file_size_limit) values ('small', 'small', 5)`)
  const created = await world.request('alice', {
    method: 'POST',
    url: '/upload/resumable',
    headers: {
      ...TUS,
      'upload-defer-length': '1',
      'upload-metadata': `bucketName ${base64('small')},objectName ${base64('recorded.webm')}`,
    },
  })
  const patch = async (length: string, bytes: string): Promise<Answer> =>
    world.request('alice', {
      method: 'PATCH',
      url: `/upload/resumable/${idOf(created)}`,
      headers: {
        ...TUS,
        'upload-offset': '0',
        'upload-length': length,
        'content-type': 'application/offset+octet-stream',
      },
      payload: Buffer.from(bytes),
    })
  const refused = await patch('10', '0123456789')
  expect([refused.status, refused.text]).toEqual([413, 'Maximum size exceeded\n'])
  expect(await objects('recorded.webm')).toEqual([])
  expect((await patch('5', '01234')).status).toBe(204)
  expect(await objects('recorded.webm')).toMatchObject([{ size: '5' }])
})

// Supabase's storage service responds in plain text, sometimes with the TUS library's line break.
const OF_PICTURES = { bucketName: 'pictures', objectName: 'new.png', contentType: 'image/png' }
const LENGTH = { 'upload-length': '5' }
const TOO_LARGE = [413, 'Maximum size exceeded\n']
test.each<[string, Who, Readonly<Record<string, string>> | undefined, Readonly<Record<string, string>>, unknown[]]>([
  ['without metadata', 'alice', undefined, LENGTH, [400, 'Metadata header is required']],
  [
    'with malformed metadata',
    'alice',
    undefined,
    { ...LENGTH, 'upload-metadata': 'a b c' },
    [400, 'Invalid upload-metadata\n'],
  ],
  ['without a length', 'alice', OF_PICTURES, {}, [400, 'Upload-Length or Upload-Defer-Length header required\n']],
  ['without a bucket', 'alice', { objectName: 'x' }, LENGTH, [400, 'Bucket name invalid']],
  ['without a key', 'alice', { bucketName: 'pictures' }, LENGTH, [400, 'Invalid key: ']],
  ['with a bad key', 'alice', { ...OF_PICTURES, objectName: 'é' }, LENGTH, [400, 'Invalid key: é']],
  ['into no bucket', 'alice', { ...OF_PICTURES, bucketName: 'none' }, LENGTH, [404, 'Bucket not found']],
  ['above the limit of the bucket', 'alice', OF_PICTURES, { 'upload-length': '6' }, TOO_LARGE],
  ['above the limit of the bucket, without the right', 'anon', OF_PICTURES, { 'upload-length': '6' }, TOO_LARGE],
  ['above the limit of all files', 'alice', OF_PICTURES, { 'upload-length': String(2 ** 50) }, TOO_LARGE],
  [
    'without the right, of a wrong type',
    'anon',
    { ...OF_PICTURES, contentType: 'text/plain' },
    LENGTH,
    [403, 'new row violates row-level security policy'],
  ],
  [
    'of a wrong type',
    'alice',
    { ...OF_PICTURES, contentType: 'text/plain' },
    LENGTH,
    [415, 'mime type text/plain is not supported'],
  ],
  [
    'of a key that is there',
    'alice',
    { ...OF_PICTURES, objectName: 'there.png' },
    LENGTH,
    [409, 'The resource already exists'],
  ],
  [
    'whose body is above the limit, of unknown length',
    'alice',
    OF_PICTURES,
    { 'upload-defer-length': '1', 'content-type': 'application/offset+octet-stream' },
    [413, "upload's size exceeded\n"],
  ],
])('an upload %s is refused in the words of Supabase', async (_title, who, metadata, headers, expected) => {
  await world.run(`
    insert into storage.buckets (id, name, file_size_limit, allowed_mime_types)
      values ('pictures', 'pictures', 5, '{image/*}') on conflict do nothing;
    insert into storage.objects (bucket_id, name) values ('pictures', 'there.png') on conflict do nothing;
  `)
  const described = Object.entries(metadata ?? {}).map(([key, value]) => `${key} ${base64(value)}`)
  const answer = await world.request(who, {
    method: 'POST',
    url: '/upload/resumable',
    headers: { ...TUS, ...(metadata && { 'upload-metadata': described.join(',') }), ...headers },
    ...(headers['content-type'] && { payload: Buffer.from('0123456789') }),
  })
  expect([answer.status, answer.text]).toEqual(expected)
  expect(await objects('new.png')).toEqual([])
})

test('a finished upload cannot be given up', async () => {
  const id = idOf(await create('alice', 'finished.mp4'))
  writeFileSync(join(folder(), `${id}.bytes`), '0123456789')
  await head('alice', id)
  const answer = await world.request('alice', { method: 'DELETE', url: `/upload/resumable/${id}`, headers: TUS })
  expect(answer.status).toBe(400)
  expect(await objects('finished.mp4')).toHaveLength(1)
})

test('one person has so many unfinished uploads, and another is not concerned', async () => {
  for (let count = 0; count < UPLOADS_OF_PERSON_MAX; count++) {
    const { status } = await create('bob', `many-${count}.mp4`)
    if (status !== 201) expect([count, status]).toEqual([count, 429])
  }
  const refused = await create('bob', 'one-more.mp4')
  expect([refused.status, refused.text]).toEqual([429, 'Too many uploads are under way'])
  expect((await create('alice', 'not-concerned.mp4')).status).toBe(201)
})

test('a server that has not got the parts says so, and the client does not begin again', async () => {
  const id = idOf(await create('alice', 'elsewhere.mp4'))
  await world.run(`update storage.resumable_uploads set server_id = 'another' where version = '${id}'`)
  for (const name of readdirSync(folder()))
    if (name.startsWith(id)) renameSync(join(folder(), name), join(world.folder, name))
  const part = { ...TUS, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
  const answers = [
    await head('alice', id),
    await world.request('alice', {
      method: 'PATCH',
      url: `/upload/resumable/${id}`,
      headers: part,
      payload: '0123456789',
    }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([503, 503])
  expect(answers[1]?.text).toContain('The parts of this upload are on another server')
  expect(await objects('elsewhere.mp4')).toEqual([])
})

test('an address that is none leads nowhere', async () => {
  for (const id of ['..%2f..%2fstore-id', 'x', '00000000-0000-4000-8000-000000000000', '%00']) {
    expect((await head('alice', id)).status).toBe(404)
  }
})

test('what has expired is deleted, and what has not stays', async () => {
  const [old, recent] = [idOf(await create('alice', 'old.mp4')), idOf(await create('alice', 'recent.mp4'))]
  const path = join(folder(), `${old}.json`)
  const record = JSON.parse(readFileSync(path, 'utf8')) as { createdAt: number }
  writeFileSync(path, JSON.stringify({ ...record, createdAt: record.createdAt - UPLOAD_LIFETIME_MS - 1 }))
  const store = await UploadStore.open(world.folder, systemClock, silentLogger)
  expect([await store.find(old), (await store.find(recent))?.id]).toEqual([undefined, recent])
  expect(readdirSync(folder()).some((name) => name.startsWith(old))).toBe(false)
})
