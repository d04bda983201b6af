import { Schema } from '@powersync/common'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { forgetBases, readBases } from '../queue/guard-bases.ts'
import { openPlayedDevice, schema, syncedTables, tokens, type PlayedDevice } from './played-device.test-support.ts'
import { UploadPostponed } from './upload-queue.ts'

let device: PlayedDevice
let database: PlayedDevice['database']

beforeEach(async () => {
  device = await openPlayedDevice()
  database = device.database
})

afterEach(() => device[Symbol.asyncDispose]())

describe('uploading', () => {
  test('sends local transactions in order and empties the outbox', async () => {
    await database.execute(`insert into sites (id, name) values ('s1', 'works')`)
    await database.writeTransaction(async (tx) => {
      await tx.execute(`insert into tasks (id, title, site_id) values ('t1', 'a', 's1')`)
      await tx.execute(`update tasks set points = 2 where id = 't1'`)
    })
    await device.queue.upload(database)
    expect([...device.server.rows]).toEqual([
      ['sites/s1', { name: 'works' }],
      ['tasks/t1', { title: 'a', site_id: 's1', points: 2 }],
    ])
    expect(await device.waiting()).toBe(0)
  })

  test('keeps a refused transaction with its reason and lets the next one through', async () => {
    await database.execute(`insert into tasks (id, title) values ('t1', 'bad')`)
    await database.execute(`insert into tasks (id, title) values ('t2', 'good')`)
    await device.queue.upload(database)
    expect([...device.server.rows.keys()]).toEqual(['tasks/t2'])
    expect(await device.rejected().list()).toMatchObject([
      {
        table: 'tasks',
        recordId: 't1',
        op: 'PUT',
        operations: [{ data: { title: 'bad' } }],
        verdict: { sqlstate: '23514' },
        held: [],
      },
    ])
  })

  test('holds back what touches a refused record or links to a refused create', async () => {
    await database.execute(`insert into sites (id, name) values ('s1', 'bad')`)
    await database.execute(`insert into tasks (id, title, site_id) values ('t1', 'on it', 's1')`)
    await database.execute(`update tasks set points = 1 where id = 't1'`)
    await database.execute(`insert into tasks (id, title) values ('t2', 'free')`)
    await device.queue.upload(database)
    expect([...device.server.rows.keys()]).toEqual(['tasks/t2'])
    expect((await device.rejected().list())[0]?.held.map((held) => held.operations[0]?.op)).toEqual(['PUT', 'PATCH'])
  })

  test('asks again with a new token once, and then waits for the person', async () => {
    await database.execute(`insert into tasks (id, title) values ('t1', 'a')`)
    device.server.faults = [401]
    await device.queue.upload(database)
    expect(device.server.tokens).toEqual(['token', 'fresh'])
    await database.execute(`insert into tasks (id, title) values ('t2', 'a')`)
    for (let attempt = 0; attempt < 10; attempt++) {
      device.server.faults = [401, 401]
      device.nowMs += 100_000
      await expect(device.queue.upload(database)).rejects.toMatchObject({ reason: 'sign_in' })
    }
    expect(await device.waiting()).toBe(1)
    device.restart({ ...tokens, token: async () => undefined })
    await expect(device.queue.upload(database)).rejects.toMatchObject({ reason: 'sign_in' })
  })

  test.each(['lost_before', 'lost_after', 503, 'portal'] as const)(
    'tries again without end after %s',
    async (fault) => {
      await database.execute(`insert into tasks (id, title) values ('t1', 'a')`)
      device.server.faults = Array.from({ length: 30 }, () => fault)
      await device.drain()
      expect(device.server.tokens).toHaveLength(31)
      expect(device.server.applied).toHaveLength(1)
      expect(await device.rejected().list()).toEqual([])
    },
  )

  test('waits between attempts, and not when the server is back', async () => {
    await database.execute(`insert into tasks (id, title) values ('t1', 'a')`)
    device.server.faults = [503, 503]
    await expect(device.queue.upload(database)).rejects.toBeInstanceOf(UploadPostponed)
    device.nowMs = 900
    await expect(device.queue.upload(database)).rejects.toBeInstanceOf(UploadPostponed)
    expect(device.server.tokens).toHaveLength(1)
    device.nowMs = 1_000
    await expect(device.queue.upload(database)).rejects.toBeInstanceOf(UploadPostponed)
    expect(device.server.tokens).toHaveLength(2)
    device.queue.wake()
    await device.queue.upload(database)
  })

  test('waits no longer when the clock of the device is set back meanwhile', async () => {
    device.nowMs = 86_400_000
    await database.execute(`insert into tasks (id, title) values ('t1', 'a')`)
    device.server.faults = [503]
    await expect(device.queue.upload(database)).rejects.toBeInstanceOf(UploadPostponed)
    device.nowMs = 0
    await expect(device.queue.upload(database)).rejects.toBeInstanceOf(UploadPostponed)
    device.nowMs = 1_000
    await device.queue.upload(database)
    expect(device.server.applied).toHaveLength(1)
  })

  test('asks a person after five refusals of the request itself', async () => {
    await database.execute(`insert into tasks (id, title) values ('t1', 'a')`)
    device.server.faults = [404, 404, 404, 404, 404]
    await device.drain()
    expect(await device.rejected().list()).toMatchObject([
      { verdict: { status: 'unexpected', httpStatus: 404, code: 'PSYNC_S2002' } },
    ])
  })

  test('does not complete what it could not keep', async () => {
    await database.execute(`insert into tasks (id, title) values ('t1', 'bad')`)
    await database.updateSchema(new Schema(syncedTables))
    await expect(device.queue.upload(database)).rejects.toThrow('hf_local_attention')
    expect(await device.waiting()).toBe(1)
    await database.updateSchema(schema)
    await device.queue.upload(database)
    expect(await device.rejected().list()).toHaveLength(1)
  })
})

describe('a long queue', () => {
  test('goes up in few requests, in order, each transaction judged for itself', async () => {
    for (let n = 1; n <= 450; n++) await database.execute(`insert into tasks (id, title) values (?, 'x')`, [`t${n}`])
    await device.queue.upload(database)
    expect(device.server.sizes).toEqual([200, 200, 50])
    expect(device.server.applied).toEqual(Array.from({ length: 450 }, (_, n) => n + 1))
    expect(await device.waiting()).toBe(0)
  })

  test('is split between transactions when a request gets too long', async () => {
    const long = 'x'.repeat(300_000)
    for (let n = 1; n <= 5; n++) await database.execute(`insert into tasks (id, title) values (?, ?)`, [`t${n}`, long])
    await database.writeTransaction(async (tx) => {
      for (let n = 6; n <= 10; n++) await tx.execute(`insert into tasks (id, title) values (?, ?)`, [`t${n}`, long])
    })
    await device.queue.upload(database)
    expect(device.server.sizes).toEqual([3, 2, 1])
    expect(device.server.applied).toHaveLength(10)
  })

  test('goes up in shorter requests over a line that lasts for no long one', async () => {
    device.server.lastsFor = 20
    for (let n = 1; n <= 300; n++) await database.execute(`insert into tasks (id, title) values (?, 'x')`, [`t${n}`])
    await device.drain()
    expect(device.server.sizes.slice(0, 4)).toEqual([200, 50, 13, 26])
    expect(device.server.sizes.length).toBeLessThan(40)
    expect(device.server.applied).toEqual(Array.from({ length: 300 }, (_, n) => n + 1))
    expect(await device.waiting()).toBe(0)
  })

  test('goes up one by one where the server, or a proxy on the way, does not take several', async () => {
    device.server.transactionsMax = 1
    for (let n = 1; n <= 5; n++) await database.execute(`insert into tasks (id, title) values (?, 'x')`, [`t${n}`])
    await device.queue.upload(database)
    expect(device.server.sizes).toEqual([5, 1, 1, 1, 1, 1])
    expect(device.server.applied).toEqual([1, 2, 3, 4, 5])
  })

  test('is not held up by the refused ones in it, and keeps back what depends on them', async () => {
    for (let n = 1; n <= 30; n++)
      await database.execute(`insert into tasks (id, title) values (?, ?)`, [`t${n}`, n % 10 === 0 ? 'bad' : 'good'])
    await database.execute(`update tasks set points = 1 where id = 't10'`)
    await database.execute(`update tasks set points = 1 where id = 't11'`)
    await device.queue.upload(database)
    expect(device.server.rows.size).toBe(27)
    expect(device.server.rows.get('tasks/t11')).toEqual({ title: 'good', points: 1 })
    const items = await device.rejected().list()
    expect(items.map(({ recordId, held }) => [recordId, held.length])).toEqual([
      ['t10', 1],
      ['t20', 0],
      ['t30', 0],
    ])
  })

  test('of a transaction that no proxy on the way takes ends in front of a person', async () => {
    await database.execute(`insert into tasks (id, title) values ('t1', 'a')`)
    device.server.faults = [413]
    await device.queue.upload(database)
    expect(await device.rejected().list()).toMatchObject([{ verdict: { status: 'unexpected', httpStatus: 413 } }])
  })
})

describe('a guarded row', () => {
  const orders = (): Record<string, unknown> | undefined => device.server.rows.get('orders/o1')

  beforeEach(async () => {
    await database.execute(`insert into orders (id, title, state) values ('o1', 'a', 'open')`)
    await device.queue.upload(database)
  })

  test('is changed again and again before a checkpoint brings the new version', async () => {
    for (const title of ['b', 'c', 'd']) await database.execute(`update orders set title = ? where id = 'o1'`, [title])
    await device.queue.upload(database)
    await database.execute(`update orders set state = 'done' where id = 'o1'`)
    device.restart()
    await device.queue.upload(database)
    expect(orders()).toEqual({ title: 'd', state: 'done', version: 5 })
    expect(await device.rejected().list()).toEqual([])
  })

  test('is remembered as the server has it until the device shows it so', async () => {
    const known = (): Promise<{ n: number }> => database.get('select count(*) as n from hf_local_bases')
    const checkpoint = (version: number): Promise<unknown> =>
      database.writeTransaction(async (tx) => {
        await tx.execute(`update ps_data__orders set data = json_set(data, '$.version', ?) where id = 'o1'`, [version])
        await tx.execute('delete from ps_updated_rows')
      })
    await forgetBases(database)
    expect(await known()).toEqual({ n: 1 }) // the version has not arrived
    await database.execute(`update orders set title = 'b' where id = 'o1'`)
    await checkpoint(1)
    await forgetBases(database)
    expect(await known()).toEqual({ n: 1 }) // a change is queued
    await device.queue.upload(database)
    await checkpoint(2)
    await forgetBases(database)
    expect(await known()).toEqual({ n: 0 })
    await database.execute(`update orders set title = 'c' where id = 'o1'`)
    await device.queue.upload(database)
    expect(orders()).toMatchObject({ title: 'c', version: 3 })
  })

  test('is found by its record, however many an import has left', async () => {
    const asked: [string, unknown[]][] = []
    const known = await readBases(
      {
        getAll: (statement, parameters = []) => {
          asked.push([statement, parameters])
          return database.getAll(statement, parameters)
        },
      },
      [
        { type: 'orders', id: 'o1' },
        { type: 'orders', id: 'o1' },
        { type: 'orders', id: 'o2' },
      ],
    )
    expect([...known.values()]).toMatchObject([[{ table: 'orders', recordId: 'o1', base: { now: { version: 1 } } }]])
    for (const [statement, parameters] of asked) {
      const plan = await database.getAll<{ detail: string }>(`explain query plan ${statement}`, parameters)
      expect(plan.map(({ detail }) => detail).join()).toContain('hf_local_bases__by_record')
    }
  })

  test('is repeated as it was sent after a lost answer', async () => {
    await database.execute(`update orders set title = 'b' where id = 'o1'`)
    await expect(device.queue.upload(device.failingToComplete())).rejects.toThrow('died')
    device.restart()
    await database.execute(`update orders set title = 'c' where id = 'o1'`)
    device.server.faults = ['lost_after', 'none', 'lost_after']
    await device.drain()
    expect(orders()).toEqual({ title: 'c', state: 'open', version: 3 })
    expect(await device.rejected().list()).toEqual([])
  })

  test('that another user changed waits for the person with the whole row of the server, and "mine" goes through', async () => {
    Object.assign(orders() ?? {}, { title: 'theirs', version: 7 })
    await database.writeTransaction(async (tx) => {
      await tx.execute(`update orders set title = 'b' where id = 'o1'`)
      await tx.execute(`update orders set state = 'doing' where id = 'o1'`)
    })
    await database.execute(`update orders set state = 'done' where id = 'o1'`)
    await device.queue.upload(database)
    const [item] = await device.rejected().list()
    expect(item).toMatchObject({
      verdict: { status: 'conflict', current: { version: 7 } },
      serverRow: { id: 'o1', title: 'theirs', state: 'open', version: 7 },
      held: [{}],
    })
    expect(item?.operations[0]?.old).toEqual({ version: 1 }) // the first change does not concern the state
    await device.rejected().retry(item?.id ?? '')
    await device.queue.upload(database)
    expect(orders()).toEqual({ title: 'b', state: 'done', version: 10 })
    expect(await device.rejected().list()).toEqual([])
  })
})

describe('deciding', () => {
  test('a retry sends the whole change with the edited values, also where the device still shows the refused ones', async () => {
    await database.execute(`insert into tasks (id, title, points) values ('t1', 'a', 1)`)
    await device.queue.upload(database)
    await database.execute(`update tasks set title = 'bad', points = 5 where id = 't1'`)
    await device.queue.upload(database)
    const [item] = await device.rejected().list()
    const edits = [{ table: 'tasks', recordId: 't1', values: { title: 'good' } }]
    expect(await device.rejected().retry(item?.id ?? '', edits)).toBe(true)
    expect(await device.rejected().retry(item?.id ?? '', edits)).toBe(false)
    await device.queue.upload(database)
    expect(device.server.rows.get('tasks/t1')).toEqual({ title: 'good', points: 5 })
    expect(await database.get(`select title, points from tasks where id = 't1'`)).toEqual({ title: 'good', points: 5 })
    expect(await device.rejected().list()).toEqual([])
  })

  test('a retry takes along what waited for it, held or still in the outbox', async () => {
    await database.execute(`insert into sites (id, name) values ('s1', 'bad')`)
    await database.execute(`insert into tasks (id, title, site_id) values ('t1', 'on it', 's1')`)
    await device.queue.upload(database)
    await database.execute(`update tasks set points = 9 where id = 't1'`)
    const [item] = await device.rejected().list()
    await device.rejected().retry(item?.id ?? '', [{ table: 'sites', recordId: 's1', values: { name: 'good' } }])
    await device.queue.upload(database)
    expect([...device.server.rows]).toEqual([
      ['sites/s1', { name: 'good' }],
      ['tasks/t1', { title: 'on it', site_id: 's1', points: 9 }],
    ])
  })

  test('a retry right after the device died sends the change once', async () => {
    await database.execute(`insert into tasks (id, title) values ('t1', 'bad')`)
    await expect(device.queue.upload(device.failingToComplete())).rejects.toThrow('died')
    const [item] = await device.rejected().list()
    await device.rejected().retry(item?.id ?? '', [{ table: 'tasks', recordId: 't1', values: { title: 'good' } }])
    expect(await device.waiting()).toBe(1)
    await device.queue.upload(database)
    expect(device.server.rows.get('tasks/t1')).toEqual({ title: 'good' })
  })

  test('a discard gives up what waited for it as well', async () => {
    await database.execute(`insert into sites (id, name) values ('s1', 'bad')`)
    await device.queue.upload(database)
    await database.execute(`insert into tasks (id, title, site_id) values ('t1', 'on it', 's1')`)
    const [item] = await device.rejected().list()
    expect(await device.rejected().discard(item?.id ?? '')).toBe(true)
    await device.queue.upload(database)
    expect([device.server.rows.size, await device.waiting(), (await device.rejected().list()).length]).toEqual([
      0, 0, 0,
    ])
    expect(await device.rejected().get(item?.id ?? '')).toMatchObject({
      state: 'discarded',
      held: [{ operations: [{ id: 't1' }] }],
    })
  })

  test('a retry of a change to a record that is gone changes nothing', async () => {
    await database.execute(`insert into tasks (id, title) values ('t1', 'a')`)
    await device.queue.upload(database)
    device.server.rows.clear()
    await database.execute(`update tasks set points = 5 where id = 't1'`)
    await device.queue.upload(database)
    await database.execute(`delete from ps_data__tasks`) // as the next checkpoint does
    const [item] = await device.rejected().list()
    await expect(device.rejected().retry(item?.id ?? '')).rejects.toMatchObject({ name: 'RecordGone', recordId: 't1' })
    expect(await device.rejected().list()).toMatchObject([{ verdict: { status: 'no_row' } }])
    expect(await device.waiting()).toBe(0)
  })
})
