import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { column, Schema, Table } from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DeviceFull, toWriteFailure, writeLocally } from './local-write.ts'
import { writeByRecord } from './queue/write-by-record.ts'

let folder: string
let database: PowerSyncDatabase

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-full-'))
  database = new PowerSyncDatabase({
    schema: new Schema({ tasks: new Table({ title: column.text }) }),
    database: {
      dbFilename: 'device.db',
      dbLocation: folder,
      implementation: { type: 'node:sqlite' },
      readWorkerCount: 1,
    },
  })
  await database.init()
})
afterEach(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Limits the database to its current number of pages. */
async function setFull(isFull: boolean): Promise<void> {
  const { page_count: pages } = await database.get<{ page_count: number }>('pragma page_count')
  await database.execute(`pragma max_page_count = ${isFull ? pages : 1_000_000}`)
}

const longTitle = 'A pump that leaks. '.repeat(5_000)
const insert = (id: string): [sql: string, values: string[]] => [
  'insert into tasks (id, title) values (?, ?)',
  [id, longTitle],
]
const count = async (table: string): Promise<number> =>
  (await database.get<{ rows: number }>(`select count(*) as rows from ${table}`)).rows

test.each([
  ['one transaction', writeLocally],
  ['one for each record', writeByRecord],
])('on a full device a change that goes as %s fails whole, and can be made again later', async (_, write) => {
  await setFull(true)
  const writing = write(database, (tx) => tx.execute(...insert('t1')))
  await expect(writing).rejects.toThrow(DeviceFull)
  expect(await count('tasks')).toBe(0)
  expect(await count('ps_crud')).toBe(0)

  await setFull(false)
  await write(database, (tx) => tx.execute(...insert('t1')))
  expect(await count('tasks')).toBe(1)
  expect(await count('ps_crud')).toBe(1)
})

test('an error that has another cause stays what it is', async () => {
  const own = new Error('this is not about space')
  await expect(writeLocally(database, () => Promise.reject(own))).rejects.toBe(own)
  // Node has no browser file system to probe.
  const refused = new Error('disk I/O error')
  expect(await toWriteFailure(refused)).toBe(refused)
  expect(await toWriteFailure('database or disk is full')).toBeInstanceOf(DeviceFull)
})
