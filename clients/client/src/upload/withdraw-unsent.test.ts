import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeByRecord } from '../queue/write-by-record.ts'
import { BATCH_TRANSACTIONS_MAX } from './batch-size.ts'
import { openPlayedDevice, type PlayedDevice } from './played-device.test-support.ts'
import { withdrawUnsent } from './withdraw-unsent.ts'

let device: PlayedDevice
let database: PlayedDevice['database']

beforeEach(async () => {
  device = await openPlayedDevice()
  database = device.database
})
afterEach(() => device[Symbol.asyncDispose]())

const RECORDS = BATCH_TRANSACTIONS_MAX + 60

async function importTasks(command: string, from: number, to: number): Promise<void> {
  await writeByRecord(database, async (tx) => {
    for (let at = from; at < to; at += 1) {
      await tx.execute('insert into tasks (id, title, _metadata) values (?, ?, ?)', [
        `${command}-${at}`,
        `task ${at}`,
        JSON.stringify({ command }),
      ])
    }
  })
}

async function withdraw(...commands: readonly string[]): Promise<readonly string[]> {
  const withdrawn: string[] = []
  await withdrawUnsent(database, {
    table: 'tasks',
    commands: new Set(commands),
    onWithdrawn: (ids) => withdrawn.push(...ids),
  })
  return withdrawn
}

const localIds = async (): Promise<readonly string[]> =>
  (await database.getAll<{ readonly id: string }>('select id from tasks')).map(({ id }) => id)

test('records that were never sent leave device and outbox; those that a request may have stay', async () => {
  await importTasks('a', 0, RECORDS)
  let withdrawn: readonly string[] = []
  const { post } = device.server
  // While the first request is on its way.
  device.server.post = async (upload, token) => {
    if (withdrawn.length === 0) withdrawn = await withdraw('a')
    return post(upload, token)
  }
  await device.queue.upload(database)
  expect(withdrawn).toHaveLength(60)
  const sent = Array.from({ length: BATCH_TRANSACTIONS_MAX }, (_, at) => `a-${at}`)
  expect(new Set(await localIds())).toEqual(new Set(sent))
  expect(new Set(device.server.rows.keys())).toEqual(new Set(sent.map((id) => `tasks/${id}`)))
  expect(await device.waiting()).toBe(0)
})

test('records of other commands, and those changed since, stay in the outbox', async () => {
  await importTasks('sent', 0, BATCH_TRANSACTIONS_MAX)
  await importTasks('a', 0, 3)
  await importTasks('b', 0, 2)
  await database.execute(`insert into tasks (id, title) values ('own', 'mine')`)
  await database.execute(`insert into tasks (id, title, _metadata) values ('odd', 'mine', 'no json')`)
  await database.execute(`update tasks set points = 2 where id = 'a-1'`)
  expect(new Set(await withdraw('a', 'other'))).toEqual(new Set(['a-0', 'a-2']))
  await device.queue.upload(database)
  expect(new Set(device.server.rows.keys())).toEqual(new Set((await localIds()).map((id) => `tasks/${id}`)))
  expect(await localIds()).toEqual(expect.arrayContaining(['a-1', 'b-0', 'b-1', 'own', 'odd']))
  expect(await localIds()).toHaveLength(BATCH_TRANSACTIONS_MAX + 5)
})
