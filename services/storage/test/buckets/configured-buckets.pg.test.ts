import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLogger, systemClock } from '@holdfast/foundation'
import { openDiskBackend } from '../../src/backend/disk-backend.ts'
import { parseBucketSettings } from '../../src/buckets/bucket-settings.ts'
import { ensureConfiguredBuckets } from '../../src/buckets/configured-buckets.ts'
import { openStorageWorld, type StorageWorld } from '../storage-world.ts'

// Configured buckets exist after the start and contain the files of their folders.

let folder: string
let world: StorageWorld
const told: Readonly<Record<string, unknown>>[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-buckets-'))
  mkdirSync(join(folder, 'people'))
  writeFileSync(join(folder, 'people', 'ann.png'), 'a picture')
  writeFileSync(join(folder, 'notes.txt'), 'a note')
  writeFileSync(join(folder, 'é.png'), 'a name that no key has')
  world = await openStorageWorld({
    options: {
      storageBuckets: {
        avatars: {
          public: true,
          file_size_limit: '1MiB',
          allowed_mime_types: ['image/png'],
          objects_path: folder,
        },
        plain: {},
      },
    },
    logger: { log: (_level, _event, fields) => void (fields && told.push(fields)) },
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const buckets = (): ReturnType<StorageWorld['run']> =>
  world.run('select id, public, file_size_limit, allowed_mime_types from storage.buckets order by id')

const WANTED = [
  { id: 'avatars', public: true, file_size_limit: '1048576', allowed_mime_types: ['image/png'] },
  { id: 'plain', public: false, file_size_limit: null, allowed_mime_types: null },
]

test('buckets are made, with the files that they take', async () => {
  expect(await buckets()).toEqual(WANTED)
  const read = await world.request('nobody', { method: 'GET', url: '/object/public/avatars/people/ann.png' })
  expect([read.status, read.text, read.headers['content-type']]).toEqual([200, 'a picture', 'image/png'])
  expect(await world.run('select name from storage.objects')).toEqual([{ name: 'people/ann.png' }])
  expect(told.map(({ code }) => code).filter((code) => code !== undefined)).toEqual(
    expect.arrayContaining(['InvalidMimeType', 'InvalidKey']),
  )
})

async function startAgainWith(storageBuckets: Readonly<Record<string, unknown>>): Promise<void> {
  const fileSizeLimit = 50_000_000
  const backend = await openDiskBackend(world.folder)
  const context = { share: world.share, backend, logger: silentLogger, clock: systemClock, fileSizeLimit }
  await ensureConfiguredBuckets(context, parseBucketSettings(storageBuckets, fileSizeLimit))
}

test('the next start changes what the settings say, and nothing else', async () => {
  const before = await world.run('select version from storage.objects')
  await world.run('update storage.buckets set file_size_limit = 5 where id = $$plain$$')
  await startAgainWith({ avatars: { public: false, objects_path: folder }, plain: {} })
  expect(await buckets()).toEqual([
    { ...WANTED[0], public: false },
    { ...WANTED[1], file_size_limit: '5' },
  ])
  // Unchanged files are not written again.
  expect(await world.run('select version from storage.objects')).toEqual(before)
  writeFileSync(join(folder, 'people', 'ann.png'), 'another one')
  await startAgainWith({ avatars: { objects_path: folder } })
  const read = await world.request('service', { method: 'GET', url: '/object/avatars/people/ann.png' })
  expect(read.text).toBe('another one')
})

test('a folder that is not there ends the start', async () => {
  await expect(startAgainWith({ plain: { objects_path: join(folder, 'none') } })).rejects.toMatchObject({
    code: 'option_invalid',
  })
})

test('several servers that start at once make a bucket once', async () => {
  await Promise.all([1, 2, 3].map(() => startAgainWith({ together: { public: true } })))
  expect(await world.run(`select public from storage.buckets where id = 'together'`)).toEqual([{ public: true }])
})
