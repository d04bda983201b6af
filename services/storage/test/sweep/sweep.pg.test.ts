import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createPool, type Pool } from '@holdfast/postgres'
import { openDiskBackend } from '../../src/backend/disk-backend.ts'
import type { Backend } from '../../src/backend/backend.ts'
import { sweep } from '../../src/sweep/sweep.ts'
import { openStorageWorld, type StorageWorld } from '../storage-world.ts'

// Unreferenced bytes are deleted once too old for an upload in progress; everything else stays.

const HOUR_MS = 60 * 60 * 1_000

let world: StorageWorld
let backend: Backend
let readerPool: Pool

beforeEach(async () => {
  world = await openStorageWorld()
  await world.run(`insert into storage.buckets (id, name) values ('box', 'box')`)
  backend = await openDiskBackend(world.folder)
  readerPool = createPool({ url: world.database.readerUrl, applicationName: 'test sweep', connectionsMax: 1 })
})
afterEach(async () => {
  await readerPool[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

/** Sweeps as if it were `later` ms from now; `undefined` while another sweep runs. */
const trySweep = (later: number, as: Pool): Promise<number | undefined> =>
  sweep(
    {
      pool: world.database.pool,
      readerPool: as,
      backend,
      logger: silentLogger,
      clock: { now: () => Date.now() + later },
    },
    new AbortController().signal,
  )

/** Waits for its turn, because the server also sweeps at startup. */
async function sweepAt(later: number, as: Pool = readerPool): Promise<number> {
  let swept: number | undefined
  await expect.poll(async () => (swept = await trySweep(later, as))).toBeDefined()
  return swept ?? 0
}

const files = (): number =>
  readdirSync(join(world.folder, 'versions'), { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    .length

function strayFile(version: string = randomUUID()): void {
  const shard = join(world.folder, 'versions', version.slice(0, 2))
  mkdirSync(shard, { recursive: true })
  writeFileSync(join(shard, version), 'stray')
  // Timestamps from the kernel lag by some milliseconds.
  utimesSync(join(shard, version), new Date(), new Date())
}

describe('a sweep', () => {
  test('deletes old bytes without a row, and no others', async () => {
    await sweepAt(0)
    await world.request('service', { method: 'POST', url: '/object/box/kept', payload: 'kept' })
    strayFile()
    expect(await sweepAt(0)).toBe(0)
    expect(files()).toBe(2)
    expect(await sweepAt(2 * HOUR_MS)).toBe(1)
    expect(files()).toBe(1)
    expect((await world.request('service', { method: 'GET', url: '/object/box/kept' })).text).toBe('kept')
  })

  test('leaves the versions of uploads in parts and of S3 that are no objects yet', async () => {
    await sweepAt(0)
    const [part, whole, upload] = [randomUUID(), randomUUID(), randomUUID()]
    await world.run(`
      insert into storage.resumable_uploads (version, server_id) values ('${upload}', 'this');
      insert into storage.s3_multipart_uploads (id, upload_signature, bucket_id, key, version) values ('u', '', 'box', 'k', '${whole}');
      insert into storage.s3_multipart_uploads_parts (upload_id, part_number, bucket_id, key, etag, version)
      values ('u', 1, 'box', 'k', '', '${part}')`)
    for (const version of [part, whole, upload]) strayFile(version)
    strayFile()
    expect(await sweepAt(2 * HOUR_MS)).toBe(1)
    await world.run(`update storage.resumable_uploads set created_at = now() - interval '27 hours'`)
    expect(await sweepAt(2 * HOUR_MS)).toBe(1)
    expect(files()).toBe(2)
  })

  test('is done by one of two servers of a database', async () => {
    await sweepAt(0)
    strayFile()
    await readerPool.withClient(async (client) => {
      await client.query(`select pg_advisory_lock(hashtextextended('holdfast storage sweep', 0))`)
      await using other = createPool({ url: world.database.readerUrl, applicationName: 'other', connectionsMax: 1 })
      expect(await trySweep(2 * HOUR_MS, other)).toBeUndefined()
      expect(files()).toBe(1)
      await client.query(`select pg_advisory_unlock_all()`)
    })
    expect(await sweepAt(2 * HOUR_MS)).toBe(1)
  })

  test('deletes what writes that never ended have left', async () => {
    const path = join(world.folder, 'unfinished', randomUUID())
    writeFileSync(path, 'part')
    await sweepAt(2 * HOUR_MS)
    expect(readdirSync(join(world.folder, 'unfinished'))).toEqual([])
  })

  test('leaves bytes that are older than the database knows of', async () => {
    strayFile()
    const old = new Date(Date.now() - 24 * HOUR_MS)
    for (const one of readdirSync(join(world.folder, 'versions'), { recursive: true, withFileTypes: true }))
      if (one.isFile()) utimesSync(join(one.parentPath, one.name), old, old)
    expect(await sweepAt(2 * HOUR_MS)).toBe(0)
    expect(files()).toBe(1)
  })

  test('leaves everything when the database belongs to another store', async () => {
    await sweepAt(0)
    await world.run('update storage.byte_stores set id = gen_random_uuid()')
    strayFile()
    expect(await sweepAt(2 * HOUR_MS)).toBe(0)
    expect(files()).toBe(1)
  })

  test('leaves everything when a policy would hide rows from it', async () => {
    await sweepAt(0)
    strayFile()
    await using hidden = createPool({
      url: world.database.evaluatorUrl,
      applicationName: 'test sweep',
      connectionsMax: 1,
    })
    await expect(trySweep(2 * HOUR_MS, hidden)).rejects.toThrow(/row-level security|permission denied/)
    expect(files()).toBe(1)
  })
})
