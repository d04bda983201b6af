import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createPool, type Pool } from '@holdfast/postgres'
import { openDiskBackend } from '../../src/backend/disk-backend.ts'
import type { Backend } from '../../src/backend/backend.ts'
import { sweep } from '../../src/sweep/sweep.ts'
import { verifyStored } from '../../src/sweep/verify-stored.ts'
import { openStorageWorld, type StorageWorld } from '../storage-world.ts'
import type { DyingServerOptions, News, Order } from './dying-server.ts'

/*
 * Invariant: wherever a server dies, an object has all its old or all its new bytes, no row lacks bytes, and the next sweep removes leftovers. By default each
 * operation is killed at one step; with HOLDFAST_FAULTS above 1, at every step.
 */

const SERVER = fileURLToPath(new URL('dying-server.ts', import.meta.url))
const DEATHS_OF_A_RUN = Number(process.env['HOLDFAST_FAULTS'] ?? 1) > 1 ? Number.POSITIVE_INFINITY : 1
const LATER_MS = 2 * 60 * 60 * 1_000
const [BEFORE, AFTER] = ['b'.repeat(70_000), 'a'.repeat(200_000)]

let world: StorageWorld
let backend: Backend
let readerPool: Pool

beforeAll(async () => {
  world = await openStorageWorld()
  await world.run(`insert into storage.buckets (id, name) values ('box', 'box')`)
  backend = await openDiskBackend(world.folder)
  readerPool = createPool({ url: world.database.readerUrl, applicationName: 'test sweep', connectionsMax: 1 })
})
afterAll(async () => {
  await readerPool?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

interface Server extends AsyncDisposable {
  readonly url: string
  readonly gone: Promise<unknown>
  order(order: Order): Promise<News>
}

async function startServer(): Promise<Server> {
  const { url, requestUrl, readerUrl } = world.database
  const options: DyingServerOptions = { url, requestUrl, readerUrl, folder: world.folder }
  const child: ChildProcess = fork(SERVER, [JSON.stringify(options)], {
    execArgv: ['--conditions=source', '--no-warnings'],
  })
  const gone = once(child, 'exit')
  const answer = async (): Promise<News> => {
    const [news] = (await Promise.race([once(child, 'message'), gone.then(() => [undefined])])) as [News | undefined]
    if (!news) throw new Error('the server ended before it answered')
    return news
  }
  const started = await answer()
  return {
    url: `http://127.0.0.1:${'port' in started ? started.port : 0}`,
    gone,
    order(order) {
      const answered = answer()
      child.send(order)
      return answered
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await gone
    },
  }
}

async function put(url: string, key: string, body: string, method: 'POST' | 'PUT' = 'POST'): Promise<Response> {
  return fetch(`${url}/object/box/${key}`, { method, body, headers: { 'content-type': 'text/plain' } })
}

const post = (url: string, path: string, body: object): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

interface Operation {
  readonly title: string
  /** Existing objects by key. */
  readonly before: Readonly<Record<string, string>>
  readonly after: Readonly<Record<string, string>>
  readonly request: (url: string) => Promise<Response>
  /** Setup by another server. */
  readonly begin?: () => Promise<void>
  /** Whether repeating the request succeeds and reaches the expected state, whether or not it had been executed. */
  readonly canBeRepeated?: true
}

const Bucket = 'box'
const Key = 'a'
let upload: { readonly Bucket: string; readonly Key: string; readonly UploadId: string | undefined }
let eTag: string | undefined

async function withS3<T>(url: string, body: (s3: S3Client) => Promise<T>): Promise<T> {
  const s3 = new S3Client({
    endpoint: `${url}/s3`,
    region: 'local',
    forcePathStyle: true,
    credentials: world.s3,
    maxAttempts: 1,
  })
  try {
    return await body(s3)
  } finally {
    s3.destroy()
  }
}

const sendPart = (url: string, body: string): Promise<Response> =>
  withS3(url, async (s3) => {
    const part = await s3.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: body }))
    eTag = part.ETag
    return new Response()
  })

async function beginUpload(): Promise<void> {
  await world.run('delete from storage.s3_multipart_uploads')
  await withS3(world.url, async (s3) => {
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))
    upload = { Bucket, Key, UploadId }
  })
  await sendPart(world.url, AFTER)
}

const complete = (url: string): Promise<Response> =>
  withS3(url, async (s3) => {
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag: eTag }] }
    await s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload }))
    return new Response()
  })

const TUS = { 'tus-resumable': '1.0.0' }
let resumedId: string

/** A resumable upload that would replace `a`, with a third of its bytes sent. */
async function beginResumable(): Promise<void> {
  const pairs = Object.entries({ bucketName: Bucket, objectName: Key, contentType: 'text/plain' })
  const created = await fetch(`${world.url}/upload/resumable`, {
    method: 'POST',
    headers: {
      ...TUS,
      'x-upsert': 'true',
      'upload-length': String(AFTER.length),
      'upload-metadata': pairs.map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`).join(','),
    },
  })
  resumedId = created.headers.get('location')?.split('/').at(-1) ?? ''
  expect((await sendBytes(world.url, 0, AFTER.slice(0, 70_000))).status).toBe(204)
}

const sendBytes = (url: string, offset: number, body: string): Promise<Response> =>
  fetch(`${url}/upload/resumable/${resumedId}`, {
    method: 'PATCH',
    headers: { ...TUS, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    body,
  })

/** Resumes as clients do: asks for the offset and sends the rest. */
async function resume(url: string): Promise<Response> {
  const asked = await fetch(`${url}/upload/resumable/${resumedId}`, { method: 'HEAD', headers: TUS })
  const offset = Number(asked.headers.get('upload-offset'))
  if (!asked.ok || offset === AFTER.length) return asked
  const sent = await sendBytes(url, offset, AFTER.slice(offset))
  return sent.ok ? new Response() : sent
}

const OPERATIONS: readonly Operation[] = [
  { title: 'an upload', before: {}, after: { a: AFTER }, request: (url) => put(url, 'a', AFTER) },
  { title: 'an overwrite', before: { a: BEFORE }, after: { a: AFTER }, request: (url) => put(url, 'a', AFTER, 'PUT') },
  {
    title: 'a move',
    before: { a: BEFORE },
    after: { b: BEFORE },
    request: (url) => post(url, '/object/move', { bucketId: 'box', sourceKey: 'a', destinationKey: 'b' }),
  },
  {
    title: 'a copy',
    before: { a: BEFORE },
    after: { a: BEFORE, b: BEFORE },
    request: (url) => post(url, '/object/copy', { bucketId: 'box', sourceKey: 'a', destinationKey: 'b' }),
  },
  {
    title: 'a deletion',
    before: { a: BEFORE, b: AFTER },
    after: { b: AFTER },
    request: (url) => fetch(`${url}/object/box/a`, { method: 'DELETE' }),
  },
  {
    title: 'a part of an upload of S3, in place of one',
    before: { a: BEFORE },
    after: { a: BEFORE },
    begin: beginUpload,
    request: (url) => sendPart(url, BEFORE),
    canBeRepeated: true,
  },
  {
    title: 'the completion of an upload of S3',
    before: { a: BEFORE },
    after: { a: AFTER },
    begin: beginUpload,
    request: complete,
    canBeRepeated: true,
  },
  {
    title: 'the last part of a resumable upload',
    before: { a: BEFORE },
    after: { a: AFTER },
    begin: beginResumable,
    request: resume,
    canBeRepeated: true,
  },
]

async function prepare(objects: Readonly<Record<string, string>>): Promise<void> {
  await world.run(`begin; set local storage.allow_delete_query = 'true'; delete from storage.objects; commit`)
  for (const [key, payload] of Object.entries(objects)) {
    const headers = { 'content-type': 'text/plain' }
    expect(
      (await world.request('service', { method: 'POST', url: `/object/box/${key}`, payload, headers })).status,
    ).toBe(200)
  }
}

/** Reads all objects through another server. */
async function readAll(): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {}
  for (const { name } of await world.run('select name from storage.objects order by name')) {
    const { text, status } = await world.request('service', { method: 'GET', url: `/object/box/${String(name)}` })
    expect(status).toBe(200)
    found[String(name)] = text
  }
  return found
}

/** Rows and bytes agree immediately, and a later sweep leaves no orphans. */
async function expectAgreement(): Promise<void> {
  const verify = (later: number): ReturnType<typeof verifyStored> =>
    verifyStored({ db: world.database.pool, backend, clock: { now: () => Date.now() + later }, readsBytes: true })
  expect((await verify(0)).faults).toEqual([])
  const clock = { now: () => Date.now() + LATER_MS }
  const { pool } = world.database
  const swept = (): Promise<number | undefined> =>
    sweep({ pool, readerPool, backend, logger: silentLogger, clock }, new AbortController().signal)
  await expect.poll(swept).toBeDefined()
  expect(await verify(LATER_MS)).toMatchObject({ equal: true, recent: 0, faults: [] })
  expect(readdirSync(join(world.folder, 'unfinished'))).toEqual([])
}

function inAnyOrder(count: number): readonly number[] {
  return Array.from({ length: count }, (_unused, index) => index + 1).toSorted(() => Math.random() - 0.5)
}

describe('a server that dies in the middle of', () => {
  test.each(OPERATIONS)(
    '$title leaves it done or not done',
    async ({ before, after, request, begin, canBeRepeated }) => {
      await prepare(before)
      await begin?.()
      const steps = await (async () => {
        await using server = await startServer()
        await server.order({ dieAt: Number.MAX_SAFE_INTEGER })
        expect((await request(server.url)).status).toBe(200)
        const news = await server.order({ tell: 'steps' })
        return 'steps' in news ? news.steps : []
      })()
      expect(steps.filter((step) => step === 'committed').length).toBeGreaterThan(0)
      expect(await readAll()).toEqual(after)
      let deaths = 0
      for (const dieAt of inAnyOrder(steps.length)) {
        if (deaths >= DEATHS_OF_A_RUN) break
        await prepare(before)
        await begin?.()
        await using server = await startServer()
        await server.order({ dieAt })
        // A run may have fewer steps than the one that counted them, for example without creating a folder; then the server survives.
        const hasDied = await request(server.url).then(
          () => false,
          () => true,
        )
        if (hasDied) await server.gone
        deaths += hasDied ? 1 : 0
        const found = JSON.stringify(await readAll())
        expect([JSON.stringify(before), JSON.stringify(after)], `died at ${dieAt}: ${steps[dieAt - 1]}`).toContain(
          found,
        )
        await expectAgreement()
        if (!canBeRepeated) continue
        expect((await request(world.url)).status).toBe(200)
        expect(await readAll()).toEqual(after)
        await expectAgreement()
      }
      expect(deaths).toBeGreaterThan(0)
    },
  )
})

describe('bytes that do not come or find no place', () => {
  test('a full disk refuses the upload, and keeps what was there', async () => {
    await prepare({ a: BEFORE })
    await using server = await startServer()
    await server.order({ isFull: true })
    const refused = await put(server.url, 'a', AFTER, 'PUT')
    expect([refused.status, await refused.json()]).toMatchObject([507, { code: 'InsufficientStorage' }])
    await server.order({ isFull: false })
    expect(await readAll()).toEqual({ a: BEFORE })
    await expectAgreement()
    expect((await put(server.url, 'a', AFTER, 'PUT')).status).toBe(200)
  })

  test('a full disk refuses a part, and its upload goes on once there is room', async () => {
    await prepare({ a: BEFORE })
    await beginResumable()
    await beginUpload()
    await using server = await startServer()
    await server.order({ isFull: true })
    expect((await resume(server.url)).status).toBe(507)
    await expect(sendPart(server.url, BEFORE)).rejects.toMatchObject({ name: 'InsufficientStorage' })
    await expect(complete(server.url)).rejects.toMatchObject({ name: 'InsufficientStorage' })
    await server.order({ isFull: false })
    expect(await readAll()).toEqual({ a: BEFORE })
    expect((await resume(server.url)).status).toBe(200)
    expect(await readAll()).toEqual({ a: AFTER })
    await prepare({ a: BEFORE })
    await complete(server.url)
    expect(await readAll()).toEqual({ a: AFTER })
    await expectAgreement()
  })

  test('a body that ends early is no object', async () => {
    await prepare({ a: BEFORE })
    for (const method of ['POST /storage/v1/object/box/new', 'PUT /storage/v1/object/box/a']) {
      const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
      await once(socket, 'connect')
      socket.write(
        `${method} HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 100000\r\n\r\n${'x'.repeat(50_000)}`,
      )
      await expect.poll(() => readdirSync(join(world.folder, 'unfinished')).length).toBeGreaterThan(0)
      socket.destroy()
      await expect.poll(() => readdirSync(join(world.folder, 'unfinished'))).toEqual([])
    }
    expect(await readAll()).toEqual({ a: BEFORE })
    await expectAgreement()
  })

  test('of several writers of one key one wins, and the bytes of the others go', async () => {
    await prepare({})
    await using server = await startServer()
    const bodies = Array.from({ length: 10 }, (_unused, index) => String(index).repeat(30_000))
    const urls = [server.url, world.url]
    const answers = await Promise.all(bodies.map((body, index) => put(urls[index % 2] ?? '', 'a', body, 'PUT')))
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200))
    expect(bodies).toContain((await readAll())['a'])
    await expectAgreement()
  })
})
