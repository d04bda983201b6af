import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, request as requestHttp } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test, vi } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { openS3Backend } from '../../src/backend/s3-backend.ts'
import type { S3Settings } from '../../src/backend/s3-store.ts'
import { SWEEP_AGE_MS } from '../../src/limits.ts'
import { verifyStored, type StoredReport } from '../../src/sweep/verify-stored.ts'
import { openStorageWorld, type StorageWorld } from '../storage-world.ts'
import { describeBackend } from './backend-cases.ts'

// The store is the S3 endpoint of a second instance.

const MIB = 1024 * 1024
const BUCKET = 'bytes'

async function openStore(): Promise<StorageWorld> {
  const world = await openStorageWorld()
  await world.request('service', { method: 'POST', url: '/bucket', payload: { name: BUCKET } })
  return world
}

function settingsOf({ url, s3 }: StorageWorld, more: Partial<S3Settings> = {}): S3Settings {
  return {
    endpoint: `${url}/s3`,
    region: 'us-east-1',
    bucket: BUCKET,
    prefix: 'files/',
    credentials: s3,
    forcePathStyle: true,
    silenceMs: 20_000,
    ...more,
  }
}

for (const [name, partBytes] of [
  ['a bucket of S3', undefined],
  ['a bucket of S3, in parts', 5 * MIB],
] as const)
  describeBackend(name, async () => {
    const world = await openStore()
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-outbox-'))
    const settings = settingsOf(world)
    const backend = await openS3Backend({ settings, folder, logger: silentLogger, ...(partBytes && { partBytes }) })
    return {
      backend,
      async [Symbol.asyncDispose]() {
        await backend[Symbol.asyncDispose]()
        expect(readdirSync(folder)).toEqual([])
        rmSync(folder, { recursive: true })
        await world[Symbol.asyncDispose]()
      },
    }
  })

describe('a store that is not as it should be', () => {
  const open = async (settings: S3Settings): Promise<Awaited<ReturnType<typeof openS3Backend>>> =>
    openS3Backend({ settings, folder: mkdtempSync(join(tmpdir(), 'holdfast-outbox-')), logger: silentLogger })

  test('is refused at the start when it refuses, with the reason', async () => {
    await using world = await openStore()
    const wrong = { accessKeyId: world.s3.accessKeyId, secretAccessKey: 'another one' }
    await expect(open(settingsOf(world, { credentials: wrong }))).rejects.toThrow('the credentials are invalid')
    await expect(open(settingsOf(world, { bucket: 'nowhere' }))).rejects.toThrow('the bucket does not exist')
  })

  test('that takes a connection and says nothing fails each call, and leaves nothing here', async () => {
    const silent = createServer()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-outbox-'))
    const settings: S3Settings = {
      endpoint: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      region: 'us-east-1',
      bucket: BUCKET,
      prefix: '',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      forcePathStyle: true,
      silenceMs: 300,
    }
    const backend = await openS3Backend({ settings, folder, logger: silentLogger })
    const version = randomUUID()
    for (const call of [
      () => backend.write(version, Readable.from([randomBytes(1_000)])),
      () => backend.read(version),
      () => backend.sizeOf(version),
      () => backend.remove(version),
      () => backend.copy(version, randomUUID()),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'StoreUnavailable', status: 503 })
    expect(readdirSync(folder)).toEqual([])
    await backend[Symbol.asyncDispose]()
    silent.close()
    rmSync(folder, { recursive: true })
  })
})

const PORTAL = '<html><body>Sign in to the network</body></html>'
const HTML = { 'content-type': 'text/html' }
const XML = { 'content-type': 'application/xml' }

/** Responses of captive portals, proxies and failing stores. */
const FOREIGN_ANSWERS: Readonly<Record<string, readonly [status: number, headers: object, body: string]>> = {
  'a page': [200, HTML, PORTAL],
  'a page that says 404': [404, HTML, PORTAL],
  nothing: [200, {}, ''],
  'no content': [204, {}, ''],
  'an error that says 200': [200, XML, '<Error><Code>InternalError</Code><Message>Try again.</Message></Error>'],
}

/** Forwards requests to a store, or answers those of a method itself. */
async function openPortal(store: StorageWorld) {
  let foreign: { readonly method: string; readonly answer: (typeof FOREIGN_ANSWERS)[string] } | undefined
  const server = createHttpServer((request, response) => {
    if (foreign && request.method === foreign.method) {
      const [status, headers, body] = foreign.answer
      request.resume()
      response.writeHead(status, headers as Record<string, string>).end(body)
      return
    }
    const target = new URL(request.url ?? '/', store.url)
    const passed = requestHttp(target, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (method: string, name: string): void => {
      foreign = { method, answer: FOREIGN_ANSWERS[name] ?? [200, {}, ''] }
    },
    pass: (): void => {
      foreign = undefined
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test.each(Object.keys(FOREIGN_ANSWERS))('a foreign answer, %s, is never taken for that of the store', async (name) => {
  await using store = await openStore()
  await using portal = await openPortal(store)
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-outbox-'))
  const settings = { ...settingsOf(store), endpoint: `${portal.url}${new URL(store.url).pathname}/s3` }
  await using backend = await openS3Backend({ settings, folder, logger: silentLogger, partBytes: 5 * MIB })
  const [kept, large] = [randomUUID(), randomBytes(6 * MIB)]
  await backend.write(kept, Readable.from(['kept']))
  const list = async (): Promise<void> => {
    for await (const { version } of backend.list()) expect(version).toBe(kept)
  }
  for (const [method, what, call] of [
    ['PUT', 'write', () => backend.write(randomUUID(), Readable.from(['new']))],
    ['PUT', 'write nothing', () => backend.write(randomUUID(), Readable.from(['']))],
    ['PUT', 'write in parts', () => backend.write(randomUUID(), Readable.from([large]))],
    ['POST', 'begin and complete', () => backend.write(randomUUID(), Readable.from([large]))],
    ['PUT', 'copy', () => backend.copy(kept, randomUUID())],
    ['GET', 'read', () => backend.read(kept)],
    ['GET', 'read a part', () => backend.readPart(kept, { from: 1, to: 2 })],
    ['GET', 'list', list],
    ...(name.includes('404') ? [] : [['HEAD', 'size', () => backend.sizeOf(kept)] as const]),
  ] as const) {
    portal.answer(method, name)
    await expect(call(), what).rejects.toMatchObject({ code: 'StoreUnavailable', status: 503 })
    portal.pass()
  }
  expect((await buffer((await backend.read(kept)) ?? Readable.from([]))).toString()).toBe('kept')
  await list()
  rmSync(folder, { recursive: true })
})

test('parts that are sent for hours are left alone, and those that were left behind are not', async () => {
  await using world = await openStore()
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-outbox-'))
  await using backend = await openS3Backend({ settings: settingsOf(world), folder, logger: silentLogger })
  await world.run(`
    insert into storage.s3_multipart_uploads (id, upload_signature, bucket_id, key, version, created_at)
    select gen_random_uuid(), '', '${BUCKET}', 'files/versions/' || age, gen_random_uuid(), now() - age * interval '1 hour'
      from unnest(array[2, 26]) age`)
  expect(await backend.removeUnfinished(Date.now() - SWEEP_AGE_MS)).toBe(1)
  expect(await world.run('select key from storage.s3_multipart_uploads')).toEqual([{ key: 'files/versions/2' }])
  rmSync(folder, { recursive: true })
})

test('bytes that were sent in parts for hours are not taken for old ones before their row is there', async () => {
  await using world = await openStore()
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-outbox-'))
  const settings = settingsOf(world)
  await using backend = await openS3Backend({ settings, folder, logger: silentLogger, partBytes: 5 * MIB })
  const [small, large] = [randomUUID(), randomUUID()]
  await backend.write(small, Readable.from([randomBytes(1_000)]))
  await backend.write(large, Readable.from([randomBytes(6 * MIB)]))
  // Amazon reports when the upload began.
  const begun = new Date(Date.now() - 3 * SWEEP_AGE_MS).toISOString()
  await world.run(
    `update storage.objects set metadata = metadata || '{"lastModified": "${begun}"}' where bucket_id = '${BUCKET}'`,
  )
  const old: string[] = []
  for await (const { version, writtenAt } of backend.list())
    if (writtenAt < Date.now() - SWEEP_AGE_MS) old.push(version)
  expect(old).toEqual([small])
  rmSync(folder, { recursive: true })
})

test('a service over S3 stores, reads and deletes as one over a folder', async () => {
  await using store = await openStore()
  const { s3 } = store
  await using world = await openStorageWorld({
    options: {
      storageS3Endpoint: `${store.url}/s3`,
      storageS3Bucket: BUCKET,
      storageS3AccessKeyId: s3.accessKeyId,
      storageS3SecretAccessKey: s3.secretAccessKey,
    },
  })
  await world.request('service', { method: 'POST', url: '/bucket', payload: { name: 'photos' } })
  const bytes = randomBytes(300_000)
  const url = '/object/photos/a/b.png'
  const sent = { method: 'POST', url, payload: bytes, headers: { 'content-type': 'image/png' } } as const
  expect((await world.request('service', sent)).status).toBe(200)
  expect((await world.request('service', { url })).bytes.equals(bytes)).toBe(true)
  const part = await world.request('service', { url, headers: { range: 'bytes=1000-1999' } })
  expect(part.status).toBe(206)
  expect(part.bytes.equals(bytes.subarray(1_000, 2_000))).toBe(true)
  const [row] = await world.run(`select version from storage.objects where name = 'a/b.png'`)
  const stored = await store.run(
    `select name from storage.objects where bucket_id = '${BUCKET}' and name like 'versions/%'`,
  )
  expect(stored).toEqual([{ name: `versions/${String(row?.['version'])}` }])
  const read = await store.request('service', { url: `/object/${BUCKET}/versions/${String(row?.['version'])}` })
  expect((await buffer(Readable.from([read.bytes]))).equals(bytes)).toBe(true)
  expect((await world.request('service', { method: 'DELETE', url })).status).toBe(200)
  expect(
    await store.run(`select name from storage.objects where bucket_id = '${BUCKET}' and name like 'versions/%'`),
  ).toEqual([])
})

test('the rows of a service over S3 are compared with the bytes of its bucket', async () => {
  await using store = await openStore()
  const { s3 } = store
  await using world = await openStorageWorld({
    options: {
      storageS3Endpoint: `${store.url}/s3`,
      storageS3Bucket: BUCKET,
      storageS3AccessKeyId: s3.accessKeyId,
      storageS3SecretAccessKey: s3.secretAccessKey,
    },
  })
  await world.request('service', { method: 'POST', url: '/bucket', payload: { name: 'photos' } })
  await vi.waitFor(async () => expect(await world.run('select id from storage.byte_stores')).toHaveLength(1), 20_000)
  const versionOf = async (key: string): Promise<string> => {
    const sent = await world.request('service', {
      method: 'POST',
      url: `/object/photos/${key}`,
      payload: `bytes of ${key}`,
    })
    expect(sent.status).toBe(200)
    const [row] = await world.run(`select version from storage.objects where name = '${key}'`)
    return `versions/${String(row?.['version'])}`
  }
  const [, lost, changed] = [await versionOf('whole'), await versionOf('lost'), await versionOf('changed')]
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-outbox-'))
  const backend = await openS3Backend({ settings: settingsOf(store, { prefix: '' }), folder, logger: silentLogger })
  const verify = (): Promise<StoredReport> =>
    verifyStored({ db: world.database.pool, backend, clock: { now: () => Date.now() }, readsBytes: true })
  expect(await verify()).toMatchObject({ equal: true, objects: 3, versions: 3, faults: [] })

  await store.request('service', { method: 'DELETE', url: `/object/${BUCKET}/${lost}` })
  const headers = { 'x-upsert': 'true' }
  await store.request('service', {
    method: 'POST',
    url: `/object/${BUCKET}/${changed}`,
    payload: 'bytes of CHANGED',
    headers,
  })
  const { equal, faults } = await verify()
  expect(equal).toBe(false)
  expect(faults.map(({ kind, key }) => [kind, key]).toSorted()).toEqual([
    ['checksum', 'changed'],
    ['missing', 'lost'],
  ])
  await backend[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})
