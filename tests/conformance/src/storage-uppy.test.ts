import Uppy, { type Body, type Meta } from '@uppy/core'
import Tus, { type TusOpts } from '@uppy/tus'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderOf, openStorageWorld, type StorageWorld } from './storage-world.ts'

// The unmodified Uppy client, configured for resumable uploads as documented by Supabase.

const PART = 64 * 1024
/** Longer than a server takes to start. */
const RETRY_DELAYS = Array.from({ length: 300 }, () => 300)
const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_unused, index) => (index * 37) % 251))

const SILENT = { debug: () => undefined, warn: () => undefined, error: () => undefined }

let world: StorageWorld
let mine: string

beforeAll(async () => {
  world = await openStorageWorld()
  mine = await folderOf(world.alice)
})
afterAll(() => world[Symbol.asyncDispose]())

async function openUppy(client: SupabaseClient, more: Partial<TusOpts<Meta, Body>> = {}): Promise<Uppy> {
  const { data } = await client.auth.getSession()
  const uppy = new Uppy({ logger: SILENT })
  uppy.use(Tus, {
    endpoint: `${world.url}/upload/resumable`,
    headers: { authorization: `Bearer ${data.session?.access_token}`, apikey: world.holdfast.anonKey },
    uploadDataDuringCreation: true,
    chunkSize: PART,
    allowedMetaFields: ['bucketName', 'objectName', 'contentType', 'cacheControl', 'metadata'],
    retryDelays: RETRY_DELAYS,
    ...more,
  })
  return uppy
}

function addFile(uppy: Uppy, objectName: string, body = bytes): string {
  return uppy.addFile({
    name: objectName.split('/').at(-1) ?? '',
    type: 'image/png',
    // The TUS client takes a `Buffer` in Node, and a `Blob` in browsers.
    data: body as unknown as Blob,
    meta: {
      bucketName: 'photos',
      objectName,
      contentType: 'image/png',
      cacheControl: '3600',
      metadata: JSON.stringify({ site: 'Nord' }),
    },
  })
}

/** Runs once, after the first part of a file is acknowledged and while the next is being sent. */
function atFirstProgress(uppy: Uppy, body: () => void): Promise<void> {
  return new Promise((resolve) => {
    const look = (_file: unknown, { bytesUploaded }: { readonly bytesUploaded: number }): void => {
      if (bytesUploaded <= PART) return
      uppy.off('upload-progress', look)
      body()
      resolve()
    }
    uppy.on('upload-progress', look)
  })
}

async function stored(name: string): Promise<Buffer | undefined> {
  const { data } = await world.alice.storage.from('photos').download(name)
  return data ? Buffer.from(await data.arrayBuffer()) : undefined
}

describe('Uppy', () => {
  test('uploads files in parts, with their metadata', async () => {
    const uppy = await openUppy(world.alice)
    const names = ['one', 'two', 'three'].map((name) => `${mine}/${name}.png`)
    for (const name of names) addFile(uppy, name)
    const result = await uppy.upload()
    expect(result?.failed).toEqual([])
    expect(result?.successful).toHaveLength(3)
    for (const name of names) {
      expect((await stored(name))?.equals(bytes)).toBe(true)
      const { data } = await world.alice.storage.from('photos').info(name)
      expect(data).toMatchObject({
        size: bytes.length,
        contentType: 'image/png',
        cacheControl: 'max-age=3600',
        metadata: { site: 'Nord' },
      })
    }
    uppy.destroy()
  })

  test('pauses and resumes', async () => {
    const uppy = await openUppy(world.alice)
    const name = `${mine}/paused.png`
    const id = addFile(uppy, name)
    const paused = atFirstProgress(uppy, () => uppy.pauseAll())
    const uploading = uppy.upload()
    await paused
    expect(uppy.getFile(id).isPaused).toBe(true)
    expect(await stored(name)).toBeUndefined()
    uppy.resumeAll()
    expect((await uploading)?.successful).toHaveLength(1)
    expect((await stored(name))?.equals(bytes)).toBe(true)
    uppy.destroy()
  })

  test('reports why a file was refused, and retries it once corrected', async () => {
    const uppy = await openUppy(world.alice)
    const theirs = await folderOf(world.bob)
    const id = addFile(uppy, `${theirs}/photo.png`)
    const refused = await uppy.upload()
    expect(refused?.failed).toHaveLength(1)
    const file = uppy.getFile(id)
    expect(file.error).toContain('new row violates row-level security policy')
    expect(file.response?.status).toBe(403)
    uppy.setFileMeta(id, { objectName: `${mine}/put-right.png` })
    expect((await uppy.retryAll())?.successful).toHaveLength(1)
    expect((await stored(`${mine}/put-right.png`))?.equals(bytes)).toBe(true)
    uppy.destroy()
  })

  test('resumes by itself after a server crash and restart', async () => {
    const methods: string[] = []
    const uppy = await openUppy(world.alice, {
      onBeforeRequest: (request) => void methods.push(request.getMethod()),
    })
    const name = `${mine}/restarted.png`
    addFile(uppy, name)
    let killed: Promise<void> | undefined
    const begun = atFirstProgress(uppy, () => (killed = world.holdfast.kill9()))
    const uploading = uppy.upload()
    await begun
    await killed
    await world.holdfast.restart()
    const result = await uploading
    expect(result?.failed).toEqual([])
    expect((await stored(name))?.equals(bytes)).toBe(true)
    // The client asked for the offset instead of starting over.
    expect(methods.filter((method) => method === 'POST').length).toBe(1)
    expect(methods).toContain('HEAD')
    uppy.destroy()
  })
})
