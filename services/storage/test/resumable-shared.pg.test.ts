import { createHash, randomUUID } from 'node:crypto'
import { request as requestHttp } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLogger, systemClock } from '@holdfast/foundation'
import { openDiskBackend } from '../src/backend/disk-backend.ts'
import { UPLOAD_LIFETIME_MS, UPLOAD_SEGMENT_BYTES } from '../src/limits.ts'
import { SharedUploadStore } from '../src/resumable/shared-upload-store.ts'
import { sweep } from '../src/sweep/sweep.ts'
import { openStorageWorld, type Answer, type StorageWorld } from './storage-world.ts'

/* Pins that two servers with one database and one file store continue each other's uploads. */

let one: StorageWorld
let other: StorageWorld

beforeAll(async () => {
  one = await openStorageWorld({ sharesUploads: true })
  await one.run(`
    insert into storage.buckets (id, name) values ('videos', 'videos');
    create policy everything on storage.objects for all to authenticated using (true) with check (true);
  `)
  other = await openStorageWorld({ sharesUploads: true, beside: one })
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await one[Symbol.asyncDispose]()
})

const TUS = { 'tus-resumable': '1.0.0' }
const base64 = (text: string): string => Buffer.from(text).toString('base64')

async function create(key: string, size: number): Promise<string> {
  const { headers } = await one.request('alice', {
    method: 'POST',
    url: '/upload/resumable',
    headers: {
      ...TUS,
      'upload-length': String(size),
      'upload-metadata': `bucketName ${base64('videos')},objectName ${base64(key)}`,
    },
  })
  return String(headers['location']).split('/').at(-1) ?? ''
}

function patch(server: StorageWorld, id: string, offset: number, payload: Buffer): Promise<Answer> {
  return server.request('alice', {
    method: 'PATCH',
    url: `/upload/resumable/${id}`,
    headers: { ...TUS, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    payload,
  })
}

async function offsetAt(server: StorageWorld, id: string): Promise<string> {
  const { headers } = await server.request('alice', { method: 'HEAD', url: `/upload/resumable/${id}`, headers: TUS })
  return String(headers['upload-offset'])
}

const parts = (id: string): Promise<readonly unknown[]> =>
  one.run(`select position, size from storage.resumable_parts where upload = '${id}' order by position`)

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

test('an upload continues on another server each time, and is one object in the end', async () => {
  const bytes = Buffer.alloc(2 * UPLOAD_SEGMENT_BYTES + 1_000, 'abcdefghijk')
  const id = await create('wandering.mp4', bytes.length)
  const cuts = [0, 1_000, UPLOAD_SEGMENT_BYTES + 5_000, bytes.length]
  for (const [index, from] of cuts.slice(0, -1).entries()) {
    const server = index % 2 === 0 ? other : one
    expect(await offsetAt(server, id)).toBe(String(from))
    expect((await patch(server, id, from, bytes.subarray(from, cuts[index + 1]))).status).toBe(204)
  }
  for (const server of [one, other]) {
    expect(await offsetAt(server, id)).toBe(String(bytes.length))
    const read = await server.request('alice', { method: 'GET', url: '/object/authenticated/videos/wandering.mp4' })
    expect(hashOf(read.bytes)).toBe(hashOf(bytes))
  }
  expect(await parts(id)).toEqual([])
})

test('two servers that receive the same bytes keep one of them', async () => {
  const id = await create('twice.mp4', 20)
  const answers = await Promise.all([one, other].map((server) => patch(server, id, 0, Buffer.alloc(10, 'x'))))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 409])
  expect(await offsetAt(one, id)).toBe('10')
  expect((await patch(other, id, 10, Buffer.alloc(10, 'y'))).status).toBe(204)
  const read = await one.request('alice', { method: 'GET', url: '/object/authenticated/videos/twice.mp4' })
  expect(read.text).toBe('xxxxxxxxxxyyyyyyyyyy')
})

test('what arrived before a connection broke stays', async () => {
  const id = await create('broken.mp4', 1_000)
  await new Promise<void>((resolve) => {
    const sent = requestHttp(`${one.url}/upload/resumable/${id}`, {
      method: 'PATCH',
      headers: {
        ...TUS,
        'x-who': 'alice',
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
        'content-length': '1000',
      },
    })
    sent.on('error', () => resolve())
    sent.write(Buffer.alloc(600, 'z'), () => setTimeout(() => sent.destroy(new Error('gone')), 200))
  })
  await expect.poll(() => offsetAt(other, id)).toBe('600')
  expect((await patch(other, id, 600, Buffer.alloc(400, 'z'))).status).toBe(204)
  expect(await offsetAt(one, id)).toBe('1000')
})

test('an abandoned upload expires, and its bytes are swept', async () => {
  const id = await create('abandoned.mp4', 1_000)
  await patch(one, id, 0, Buffer.alloc(10, 'a'))
  await one.run(
    `update storage.resumable_uploads set created_at = now() - make_interval(secs => ${UPLOAD_LIFETIME_MS / 1_000 + 1}) where version = '${id}'`,
  )
  const [part] = (await one.run(`select version from storage.resumable_parts where upload = '${id}'`)) as {
    version: string
  }[]
  const backend = await openDiskBackend(one.folder)
  expect(await backend.sizeOf(part?.version ?? '')).toBe(10)
  const pool = one.database.pool
  const store = new SharedUploadStore({ pool, backend, clock: systemClock, logger: silentLogger })
  expect(await store.deleteExpired()).toBe(1)
  expect(await parts(id)).toEqual([])
  expect(await store.find(id)).toBeUndefined()
  const later = { ...systemClock, now: () => Date.now() + 10 * 60 * 60 * 1_000 }
  await sweep({ pool, readerPool: pool, backend, logger: silentLogger, clock: later }, new AbortController().signal)
  expect(await backend.sizeOf(part?.version ?? '')).toBeUndefined()
  expect(await store.find(randomUUID())).toBeUndefined()
})
