import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { openDiskBackend } from '../../src/backend/disk-backend.ts'
import type { Backend } from '../../src/backend/backend.ts'
import { openRequestDatabase, type RequestDatabase } from '../../src/database/request-database.ts'
import { commitWrite, type WriteIntent } from '../../src/objects/write-object.ts'
import { openStorageWorld, type StorageWorld } from '../storage-world.ts'

// Bytes of an upload whose connection to Postgres fails around its commit.

let world: StorageWorld
let backend: Backend
let database: RequestDatabase
const intent: WriteIntent = {
  name: { bucketId: 'box', key: 'photo.txt' },
  owner: undefined,
  upsert: false,
  declared: undefined,
  userMetadata: undefined,
  isJudged: false,
}

beforeEach(async () => {
  world = await openStorageWorld()
  await world.run(`insert into storage.buckets (id, name, public) values ('box', 'box', true)`)
  backend = await openDiskBackend(world.folder)
  database = openRequestDatabase(world.share, {
    caller: { role: 'service_role', claims: { role: 'service_role' }, userId: undefined, expiresAtS: undefined },
    operation: 'storage.object.upload',
    method: 'POST',
    path: '/object/box/photo.txt',
    headers: {},
    userKey: undefined,
  })
})
afterEach(() => world[Symbol.asyncDispose]())

async function write(through: RequestDatabase): Promise<string> {
  const version = randomUUID()
  const { size, eTag } = await backend.write(version, Readable.from([Buffer.from('a photo')]))
  const metadata = { size, eTag, contentLength: size, mimetype: 'text/plain' }
  await commitWrite({ backend, logger: silentLogger }, through, intent, { version, metadata }).catch(() => undefined)
  return version
}

test('a commit whose answer never came leaves the bytes that the row points to', async () => {
  await write({
    ...database,
    async write(steps, onSend) {
      await database.write(steps, onSend)
      throw new Error('Connection terminated unexpectedly')
    },
  })
  const { status, text } = await world.request('anon', { method: 'GET', url: '/object/public/box/photo.txt' })
  expect([status, text]).toEqual([200, 'a photo'])
})

test('a write that finds no connection leaves no bytes', async () => {
  const version = await write({
    ...database,
    write: () => Promise.reject(new Error('all connections are in use')),
  })
  expect(await backend.sizeOf(version)).toBeUndefined()
})

test('a statement that fails before the commit leaves no bytes', async () => {
  await world.run(`create function refuse() returns trigger language plpgsql as $$ begin raise 'no more'; end $$;
    create trigger refuse before insert on storage.objects for each row execute function refuse()`)
  const version = await write(database)
  expect(await backend.sizeOf(version)).toBeUndefined()
  expect(await world.run(`select from storage.objects`)).toEqual([])
})
