import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openDiskBackend } from '../../src/backend/disk-backend.ts'
import type { Backend } from '../../src/backend/backend.ts'
import { verifyStored, type StoredReport } from '../../src/sweep/verify-stored.ts'
import { openStorageWorld, type StorageWorld } from '../storage-world.ts'

// The verifier finds every kind of mismatch and reports none during normal writes.

let world: StorageWorld
let backend: Backend

beforeAll(async () => {
  world = await openStorageWorld()
  await world.run(`insert into storage.buckets (id, name) values ('box', 'box')`)
  await vi.waitFor(async () => expect(await world.run('select id from storage.byte_stores')).toHaveLength(1), 20_000)
  backend = await openDiskBackend(world.folder)
})
beforeEach(async () => {
  await world.run(`begin; set local storage.allow_delete_query = 'true'; delete from storage.objects; commit`)
  rmSync(join(world.folder, 'versions'), { recursive: true, force: true })
  mkdirSync(join(world.folder, 'versions'))
})
afterAll(() => world[Symbol.asyncDispose]())

const verify = (readsBytes = true): Promise<StoredReport> =>
  verifyStored({ db: world.database.pool, backend, clock: { now: () => Date.now() }, readsBytes })

async function put(key: string, bytes: string): Promise<string> {
  const url = `/object/box/${key}`
  await world.request('service', { method: 'POST', url, payload: bytes, headers: { 'x-upsert': 'true' } })
  const [row] = await world.run(`select version from storage.objects where name = '${key}'`)
  return String(row?.['version'])
}

const pathOf = (version: string): string => join(world.folder, 'versions', version.slice(0, 2), version)

function stray(ageMs: number): string {
  const version = randomUUID()
  mkdirSync(join(world.folder, 'versions', version.slice(0, 2)), { recursive: true })
  writeFileSync(pathOf(version), 'stray')
  const at = new Date(Date.now() - ageMs)
  utimesSync(pathOf(version), at, at)
  return version
}

test('objects that have their bytes are equal', async () => {
  await put('a', 'hello')
  await put('b/c', '')
  const report = await verify()
  expect(report).toMatchObject({ equal: true, objects: 2, versions: 2, bytesRead: 5, recent: 0, faults: [] })
})

test('missing bytes, another size, other bytes and rows of a dump are told, each with its object', async () => {
  rmSync(pathOf(await put('missing', 'x')))
  writeFileSync(pathOf(await put('shorter', '12345')), '123')
  writeFileSync(pathOf(await put('changed', 'abc')), 'abd')
  await world.run(`insert into storage.objects (bucket_id, name, version) values ('box', 'dumped', 'v1')`)
  const { equal, faults } = await verify()
  expect(equal).toBe(false)
  expect(faults.toSorted((a, b) => ((a.key ?? '') < (b.key ?? '') ? -1 : 1))).toMatchObject([
    { kind: 'checksum', bucket: 'box', key: 'changed' },
    { kind: 'missing', key: 'dumped', version: 'v1' },
    { kind: 'missing', key: 'missing' },
    { kind: 'size', key: 'shorter', expected: 5, found: 3 },
  ])
  expect((await verify(false)).faults.map(({ kind }) => kind).toSorted()).toEqual(['missing', 'missing', 'size'])
})

test('unused bytes are reported once they are older than any upload under way', async () => {
  stray(0)
  const old = stray(2 * 60 * 60 * 1_000)
  expect(await verify()).toMatchObject({
    equal: false,
    recent: 1,
    faults: [{ kind: 'unused', version: old, found: 5 }],
  })
})

test('a store of another database is told', async () => {
  await world.run('update storage.byte_stores set id = gen_random_uuid()')
  expect(await verify()).toMatchObject({ equal: false, isStoreOfDatabase: false, faults: [] })
  await world.run(`update storage.byte_stores set id = '${await backend.readStoreId()}'`)
})

test('what people replace and delete meanwhile is no fault', async () => {
  for (let n = 0; n < 20; n++) await put(`busy-${n}`, 'first')
  let isDone = false
  const writing = (async () => {
    for (let n = 0; !isDone; n++) {
      await put(`busy-${n % 20}`, `again ${n}`)
      if (n % 3 === 0) await world.request('service', { method: 'DELETE', url: `/object/box/busy-${(n + 7) % 20}` })
    }
  })()
  for (let look = 0; look < 5; look++) expect((await verify()).faults).toEqual([])
  isDone = true
  await writing
  expect(await verify()).toMatchObject({ equal: true, recent: 0 })
})
