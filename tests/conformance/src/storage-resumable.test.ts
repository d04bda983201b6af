import { DetailedError, Upload, type UploadOptions } from 'tus-js-client'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderOf, openStorageWorld, type StorageWorld } from './storage-world.ts'

const PART = 256 * 1024
const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_unused, index) => (index * 31) % 251))

let world: StorageWorld
let mine: string
let headers: Record<string, string>

beforeAll(async () => {
  world = await openStorageWorld()
  mine = await folderOf(world.alice)
  headers = await headersOf(world.alice)
})
afterAll(() => world[Symbol.asyncDispose]())

async function headersOf(client: SupabaseClient): Promise<Record<string, string>> {
  const { data } = await client.auth.getSession()
  return { authorization: `Bearer ${data.session?.access_token}`, apikey: world.holdfast.anonKey }
}

/** Options as documented by Supabase. */
function optionsFor(name: string, more: Partial<UploadOptions> = {}): UploadOptions {
  return {
    endpoint: `${world.url}/upload/resumable`,
    retryDelays: null,
    headers,
    uploadDataDuringCreation: true,
    removeFingerprintOnSuccess: true,
    metadata: {
      bucketName: 'photos',
      objectName: name,
      contentType: 'image/png',
      cacheControl: '3600',
      metadata: JSON.stringify({ site: 'Nord' }),
    },
    chunkSize: PART,
    ...more,
  }
}

interface Sent {
  readonly url: string
  readonly methods: readonly string[]
  readonly last: { readonly status: number; readonly completed: string | undefined }
}

/** @param stopAfter - stops after this many parts, as if the page were closed */
function send(options: UploadOptions, body = bytes, stopAfter = Number.POSITIVE_INFINITY): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const methods: string[] = []
    let last = { status: 0, completed: undefined as string | undefined }
    let parts = 0
    const settle = (): void => resolve({ url: upload.url ?? '', methods, last })
    const upload = new Upload(body, {
      ...options,
      onBeforeRequest: (request) => void methods.push(request.getMethod()),
      onAfterResponse: (_request, response) =>
        void (last = { status: response.getStatus(), completed: response.getHeader('tus-complete') }),
      onChunkComplete: () => {
        if (++parts >= stopAfter) void upload.abort().then(settle)
      },
      onSuccess: settle,
      onError: reject,
    })
    upload.start()
  })
}

async function refusal(sending: Promise<Sent>): Promise<{ readonly status: number; readonly text: string }> {
  const error: unknown = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof DetailedError) || !error.originalResponse) throw error ?? new Error('it was not refused')
  return { status: error.originalResponse.getStatus(), text: error.originalResponse.getBody().trim() }
}

async function stored(name: string, client: SupabaseClient = world.alice): Promise<Buffer | undefined> {
  const { data } = await client.storage.from('photos').download(name)
  return data ? Buffer.from(await data.arrayBuffer()) : undefined
}

describe('a resumable upload', () => {
  test('is an object once the last part is acknowledged', async () => {
    const name = `${mine}/large.png`
    const { methods, last } = await send(optionsFor(name))
    expect(methods).toEqual(['POST', 'PATCH', 'PATCH', 'PATCH'])
    expect(last).toEqual({ status: 204, completed: '1' })
    expect((await stored(name))?.equals(bytes)).toBe(true)
    const { data: info } = await world.alice.storage.from('photos').info(name)
    expect(info).toMatchObject({
      size: bytes.length,
      contentType: 'image/png',
      cacheControl: 'max-age=3600',
      metadata: { site: 'Nord' },
    })
  })

  test('resumes where it stopped', async () => {
    const name = `${mine}/interrupted.png`
    const { url } = await send(optionsFor(name), bytes, 2)
    expect(await stored(name)).toBeUndefined()
    const { methods } = await send(optionsFor(name, { endpoint: null, uploadUrl: url }))
    expect(methods).toEqual(['HEAD', 'PATCH', 'PATCH'])
    expect((await stored(name))?.equals(bytes)).toBe(true)
  })

  test('is complete for a client that lost the last response', async () => {
    const name = `${mine}/answer-lost.png`
    const { url } = await send(optionsFor(name))
    const { methods } = await send(optionsFor(name, { endpoint: null, uploadUrl: url }))
    expect(methods).toEqual(['HEAD'])
    expect((await stored(name))?.equals(bytes)).toBe(true)
  })

  test('may defer its length to the last part', async () => {
    const name = `${mine}/unknown-length.png`
    await send(optionsFor(name, { uploadLengthDeferred: true, uploadDataDuringCreation: false }))
    expect((await stored(name))?.equals(bytes)).toBe(true)
  })

  test('of zero bytes is an empty object', async () => {
    const name = `${mine}/empty.png`
    await send(optionsFor(name, { uploadDataDuringCreation: false }), Buffer.alloc(0))
    expect((await stored(name))?.length).toBe(0)
  })

  test('is unknown after DELETE', async () => {
    const { url } = await send(optionsFor(`${mine}/given-up.png`), bytes, 1)
    await Upload.terminate(url, { headers, retryDelays: null })
    const asked = send(optionsFor('', { endpoint: null, uploadUrl: url }))
    expect((await refusal(asked)).status).toBe(404)
  })

  test('replaces an object only with x-upsert', async () => {
    const name = `${mine}/twice.png`
    await send(optionsFor(name))
    expect(await refusal(send(optionsFor(name)))).toEqual({ status: 409, text: 'The resource already exists' })
    const other = Buffer.from('other')
    await send(optionsFor(name, { headers: { ...headers, 'x-upsert': 'true' } }), other)
    expect((await stored(name))?.equals(other)).toBe(true)
  })

  test('returns its expiry time', async () => {
    const response = await fetch(`${world.url}/upload/resumable`, {
      method: 'POST',
      headers: {
        ...headers,
        'tus-resumable': '1.0.0',
        'upload-length': '10',
        'upload-metadata': `bucketName ${btoa('photos')},objectName ${btoa(`${mine}/expires.png`)}`,
      },
    })
    expect(response.status).toBe(201)
    const hours = (Date.parse(response.headers.get('upload-expires') ?? '') - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(23)
    expect(response.headers.get('location')).toMatch(new RegExp(`^${world.url}/upload/resumable/`))
  })

  test('OPTIONS lists the extensions', async () => {
    const response = await fetch(`${world.url}/upload/resumable`, { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(response.headers.get('tus-version')).toBe('1.0.0')
    expect(response.headers.get('tus-extension')?.split(',').toSorted()).toEqual(
      ['creation', 'creation-defer-length', 'creation-with-upload', 'expiration', 'termination'].toSorted(),
    )
    expect(Number(response.headers.get('tus-max-size'))).toBe(50 * 1_048_576)
  })
})

describe('a refused resumable upload', () => {
  const RLS = { status: 403, text: 'new row violates row-level security policy' }

  test('without a policy that allows it, before any byte is read', async () => {
    const others = await folderOf(world.bob)
    expect(await refusal(send(optionsFor(`${others}/mine.png`)))).toEqual(RLS)
    expect(await stored(`${others}/mine.png`, world.bob)).toBeUndefined()
  })

  test('by another user who knows the URL', async () => {
    const name = `${mine}/taken-over.png`
    const { url } = await send(optionsFor(name), bytes, 1)
    const bob = optionsFor(name, { endpoint: null, uploadUrl: url, headers: await headersOf(world.bob) })
    expect(await refusal(send(bob))).toEqual(RLS)
    await expect(Upload.terminate(url, { ...bob, retryDelays: null })).rejects.toThrow()
    const { methods } = await send(optionsFor(name, { endpoint: null, uploadUrl: url }))
    expect(methods[0]).toBe('HEAD')
    expect((await stored(name))?.equals(bytes)).toBe(true)
  })

  test('once a policy no longer allows it, mid-upload', async () => {
    const name = `${mine}/withdrawn.png`
    const { url } = await send(optionsFor(name), bytes, 1)
    const { admin } = world.holdfast
    const policy = `create policy "no more" on storage.objects as restrictive for insert to authenticated with check (name not like '%withdrawn%')`
    await admin.withClient((client) => client.query(policy))
    expect(await refusal(send(optionsFor(name, { endpoint: null, uploadUrl: url })))).toEqual(RLS)
    await admin.withClient((client) => client.query('drop policy "no more" on storage.objects'))
    expect(await stored(name)).toBeUndefined()
  })

  test('without a token', async () => {
    const { status } = await refusal(send(optionsFor(`${mine}/nobody.png`, { headers: {} })))
    expect(status).toBe(403)
  })

  test('to an unknown bucket', async () => {
    const metadata = { bucketName: 'nothing', objectName: `${mine}/x.png` }
    expect(await refusal(send(optionsFor('', { metadata })))).toEqual({ status: 404, text: 'Bucket not found' })
  })

  test('with an invalid key', async () => {
    const { status, text } = await refusal(send(optionsFor(`${mine}/é.png`)))
    expect({ status, text }).toEqual({ status: 400, text: `Invalid key: ${mine}/é.png` })
  })

  test('above the limits of the server or the bucket', async () => {
    const create = async (bucket: string, length: number, type: string): Promise<Response> =>
      fetch(`${world.url}/upload/resumable`, {
        method: 'POST',
        headers: {
          apikey: world.holdfast.serviceRoleKey,
          authorization: `Bearer ${world.holdfast.serviceRoleKey}`,
          'tus-resumable': '1.0.0',
          'upload-length': String(length),
          'upload-metadata': `bucketName ${btoa(bucket)},objectName ${btoa('large')},contentType ${btoa(type)}`,
        },
      })
    const tooLarge = await create('photos', 50 * 1_048_576 + 1, 'image/png')
    expect([tooLarge.status, (await tooLarge.text()).trim()]).toEqual([413, 'Maximum size exceeded'])
    await world.service.createBucket('small', { public: false, fileSizeLimit: '1kb', allowedMimeTypes: ['image/*'] })
    expect((await create('small', 1_001, 'image/png')).status).toBe(413)
    expect((await create('small', 10, 'text/plain')).status).toBe(415)
  })

  test('with a part at the wrong offset', async () => {
    const { url } = await send(optionsFor(`${mine}/conflict.png`), bytes, 1)
    const response = await fetch(url, {
      method: 'PATCH',
      headers: {
        ...headers,
        'tus-resumable': '1.0.0',
        'upload-offset': '1',
        'content-type': 'application/offset+octet-stream',
      },
      body: 'x',
    })
    expect([response.status, (await response.text()).trim()]).toEqual([409, 'Upload-Offset conflict'])
  })
})

describe('a resumable upload with a signed upload token', () => {
  const signedOptions = async (name: string, token: string): Promise<UploadOptions> =>
    optionsFor(name, { endpoint: `${world.url}/upload/resumable/sign`, headers: { 'x-signature': token } })

  test('needs no key; the owner is the user who signed', async () => {
    const name = `${mine}/signed.png`
    const { data } = await world.alice.storage.from('photos').createSignedUploadUrl(name)
    await send(await signedOptions(name, data?.token ?? ''))
    expect((await stored(name))?.equals(bytes)).toBe(true)
    const rows = await world.holdfast.admin.withClient(
      async (client) =>
        (await client.query<{ owner_id: string }>('select owner_id from storage.objects where name = $1', [name])).rows,
    )
    expect(rows).toEqual([{ owner_id: mine }])
  })

  test('is refused for another key, and with a wrong or missing token', async () => {
    const { data } = await world.alice.storage.from('photos').createSignedUploadUrl(`${mine}/signed-too.png`)
    const token = data?.token ?? ''
    const elsewhere = await refusal(send(await signedOptions(`${mine}/elsewhere.png`, token)))
    expect(elsewhere).toEqual({ status: 400, text: 'Invalid signature' })
    const bearer = headers['authorization']?.replace('Bearer ', '') ?? ''
    expect((await refusal(send(await signedOptions(`${mine}/signed-too.png`, bearer)))).status).toBe(400)
    const none = optionsFor(`${mine}/x.png`, { endpoint: `${world.url}/upload/resumable/sign`, headers: {} })
    expect(await refusal(send(none))).toEqual({ status: 400, text: 'Missing x-signature header' })
  })
})
