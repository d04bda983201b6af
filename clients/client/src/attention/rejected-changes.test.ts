import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPlayedDevice, type PlayedDevice } from '../upload/played-device.test-support.ts'
import { writeByRecord } from '../queue/write-by-record.ts'
import type { RejectedChange } from './attention-item.ts'

/*
 * Pins that a rejection affects only dependents. Independent changes are sent, based on the server's values; dependent ones wait; each decision affects only
 * what it must.
 */

let device: PlayedDevice
let database: PlayedDevice['database']

beforeEach(async () => {
  device = await openPlayedDevice()
  database = device.database
  await database.execute(`insert into tasks (id, title, points, state) values ('t1', 'a', 1, 'open')`)
  await database.execute(`insert into orders (id, title, state) values ('o1', 'a', 'open')`)
  await device.queue.upload(database)
})

afterEach(() => device[Symbol.asyncDispose]())

const task = (): Record<string, unknown> | undefined => device.server.rows.get('tasks/t1')
const order = (): Record<string, unknown> | undefined => device.server.rows.get('orders/o1')
const change = (set: string): Promise<unknown> => database.execute(`update tasks set ${set} where id = 't1'`)
const upload = (): Promise<void> => device.queue.upload(database)
async function onlyItem(): Promise<RejectedChange> {
  const [item, ...others] = await device.rejected().list()
  if (!item || others.length > 0) throw new Error(`expected one item, found ${others.length + (item ? 1 : 0)}`)
  return item
}
const heldFields = ({ held }: RejectedChange): unknown =>
  held.map(({ operations }) => operations.map(({ data }) => data))

describe('after a refused field', () => {
  test('a later edit of another field of the record goes up by itself', async () => {
    await change(`title = 'bad'`)
    await change(`points = 7`)
    await upload()
    await change(`state = 'doing'`)
    await upload()
    expect(task()).toEqual({ title: 'a', points: 7, state: 'doing' })
    expect((await onlyItem()).held).toEqual([])
  })

  test('a later value of the same field waits, and so does what was written with it', async () => {
    await change(`title = 'bad'`)
    await change(`title = 'good', points = 7`)
    await change(`points = 8`)
    await change(`state = 'doing'`)
    await upload()
    expect(task()).toEqual({ title: 'a', points: 1, state: 'doing' })
    expect(heldFields(await onlyItem())).toEqual([[{ title: 'good', points: 7 }], [{ points: 8 }]])
  })

  test('a guarded field that was written with it is compared with what the server has', async () => {
    await change(`title = 'bad', state = 'doing'`)
    await change(`state = 'done'`)
    await upload()
    await device.rejected().discard((await onlyItem()).id)
    await upload()
    expect(task()).toEqual({ title: 'a', points: 1, state: 'done' })
    await change(`state = 'closed'`)
    await upload()
    expect(task()).toMatchObject({ state: 'closed' })
    expect(await device.rejected().list()).toEqual([])
  })

  test('a guarded row is changed on as the server has it, and a restart sends the same again', async () => {
    await database.execute(`update orders set title = 'bad', state = 'doing' where id = 'o1'`)
    await database.execute(`update orders set state = 'done' where id = 'o1'`)
    await database.execute(`update tasks set points = 2 where id = 't1'`)
    await upload()
    const item = await onlyItem()
    await expect(device.rejected().retry(item.id, [edit('orders', 'o1', { title: 'good' })])).resolves.toBe(true)
    await expect(device.queue.upload(device.failingToComplete())).rejects.toThrow('died')
    device.restart()
    await upload()
    expect(order()).toEqual({ title: 'good', state: 'done', version: 3 })
    await database.execute(`update orders set title = 'more' where id = 'o1'`)
    await upload()
    expect(order()).toMatchObject({ title: 'more', version: 4 })
    expect(await device.rejected().list()).toEqual([])
  })

  test('of a guarded row an edit of another field goes up by itself, and is no conflict with the refused one sent again', async () => {
    await database.execute(`update orders set title = 'bad' where id = 'o1'`)
    await database.execute(`update orders set title = 'more' where id = 'o1'`)
    await database.execute(`update orders set state = 'doing' where id = 'o1'`)
    await database.execute(`update orders set state = 'done' where id = 'o1'`)
    await upload()
    expect(order()).toEqual({ title: 'a', state: 'done', version: 3 })
    await device.rejected().retry((await onlyItem()).id, [edit('orders', 'o1', { title: 'good' })])
    await upload()
    expect(order()).toEqual({ title: 'good', state: 'done', version: 5 })
    expect(await device.rejected().list()).toEqual([])
  })

  test('a deletion of the record goes up by itself', async () => {
    await change(`title = 'bad'`)
    await database.execute(`delete from tasks where id = 't1'`)
    await upload()
    expect(task()).toBeUndefined()
    expect((await onlyItem()).held).toEqual([])
  })
})

test('changes of a record that is gone wait together', async () => {
  device.server.rows.delete('tasks/t1')
  await change(`title = 'x'`)
  await change(`points = 3`)
  await upload()
  expect(await onlyItem()).toMatchObject({ verdict: { status: 'no_row' }, held: [{}] })
})

describe('a conflict', () => {
  test('keeps what was made on the same sight, and "theirs" sends it on the row that the person has seen', async () => {
    Object.assign(order() ?? {}, { title: 'theirs', version: 7 })
    await database.execute(`update orders set title = 'mine' where id = 'o1'`)
    await database.execute(`update orders set state = 'done' where id = 'o1'`)
    await upload()
    const item = await onlyItem()
    expect(item.held).toHaveLength(1)
    await device.rejected().discard(item.id)
    await upload()
    expect(order()).toEqual({ title: 'theirs', state: 'done', version: 8 })
    expect(await device.rejected().list()).toEqual([])
  })
})

describe('deciding', () => {
  test('to give a change up sends what waited for it, except what needs the record that it would have created', async () => {
    await database.writeTransaction(async (tx) => {
      await tx.execute(`insert into sites (id, name) values ('s1', 'bad')`)
      await tx.execute(`update tasks set points = 5 where id = 't1'`)
    })
    await database.execute(`insert into tasks (id, title, site_id) values ('t2', 'on it', 's1')`)
    await change(`points = 6`)
    await upload()
    const item = await onlyItem()
    const { free, needing } = device.rejected().heldBy(item)
    expect([
      free.map(({ operations }) => operations[0]?.id),
      needing.map(({ operations }) => operations[0]?.id),
    ]).toEqual([['t1'], ['t2']])
    await device.rejected().discard(item.id)
    await upload()
    expect(task()).toMatchObject({ points: 6 })
    expect(device.server.rows.has('tasks/t2')).toBe(false)
    expect(await device.rejected().get(item.id)).toMatchObject({ state: 'discarded', held: [{}, {}] })
  })

  test('to give everything up sends nothing', async () => {
    await change(`title = 'bad'`)
    await change(`title = 'good'`)
    await upload()
    await device.rejected().discard((await onlyItem()).id, { withHeld: true })
    expect(await device.waiting()).toBe(0)
  })

  test('to keep a part sends the other fields, and nothing of a record that is left out', async () => {
    await database.writeTransaction(async (tx) => {
      await tx.execute(`update tasks set title = 'bad', points = 9 where id = 't1'`)
      await tx.execute(`insert into sites (id, name) values ('s1', 'works')`)
    })
    await upload()
    const leftOut = [
      { table: 'tasks', recordId: 't1', columns: ['title'] },
      { table: 'sites', recordId: 's1' },
    ]
    await device.rejected().retry((await onlyItem()).id, [], leftOut)
    await upload()
    expect(task()).toEqual({ title: 'a', points: 9, state: 'open' })
    expect(device.server.rows.has('sites/s1')).toBe(false)
    expect(await device.rejected().list()).toEqual([])
  })

  test('to send again sends each waiting transaction apart, so that one more refusal is of that one alone', async () => {
    await change(`title = 'bad'`)
    await change(`title = 'good', points = 4`)
    await upload()
    await device.rejected().retry((await onlyItem()).id)
    expect(await database.getAll('select count(*) as n from ps_crud group by tx_id')).toEqual([{ n: 1 }, { n: 1 }])
    await upload()
    const item = await onlyItem()
    expect(heldFields(item)).toEqual([[{ title: 'good', points: 4 }]])
    await device.rejected().discard(item.id)
    await upload()
    expect(task()).toEqual({ title: 'good', points: 4, state: 'open' })
  })

  test('keeps a waiting change of a record that is gone as an item of its own', async () => {
    await database.execute(`insert into tasks (id, title) values ('t2', 'x')`)
    await upload()
    await change(`title = 'bad', points = 5`)
    await database.writeTransaction(async (tx) => {
      await tx.execute(`update tasks set points = 6 where id = 't1'`)
      await tx.execute(`update tasks set points = 6 where id = 't2'`)
    })
    await upload()
    await database.execute(`delete from ps_data__tasks where id = 't2'`) // as the next checkpoint does
    await device.rejected().discard((await onlyItem()).id)
    expect(await onlyItem()).toMatchObject({ recordId: 't2', verdict: { status: 'no_row' }, operations: [{}, {}] })
  })

  test('to take back own operations leaves what else waits', async () => {
    await database.execute(`update tasks set title = 'bad', _metadata = 'paste' where id = 't1'`)
    await change(`title = 'good'`)
    await upload()
    await device.rejected().withdraw(({ metadata }) => metadata === 'paste')
    await upload()
    expect(task()).toMatchObject({ title: 'good' })
    expect(await device.rejected().list()).toEqual([])
  })
})

describe('a change of many records that goes by record', () => {
  test('is applied where the server takes it, and comes back alone where not', async () => {
    await writeByRecord(database, async (tx) => {
      for (let n = 1; n <= 600; n++)
        await tx.execute('insert into tasks (id, title) values (?, ?)', [`p${n}`, n % 20 === 0 ? 'bad' : 'good'])
    })
    await upload()
    expect(device.server.rows.size).toBe(2 + 570)
    expect((await device.rejected().list()).map(({ recordId }) => recordId)).toEqual(
      Array.from({ length: 30 }, (_, n) => `p${(n + 1) * 20}`),
    )
    // After a rejection the batch size shrinks, so little is sent twice.
    expect(device.server.sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3 * 600)
  }, 30_000)

  test('keeps writes of one record together', async () => {
    await writeByRecord(database, async (tx) => {
      await tx.execute(`insert into tasks (id, title) values ('p1', 'good')`)
      await tx.execute(`update tasks set title = 'bad' where id = 'p1'`)
      await tx.execute(`insert into tasks (id, title) values ('p2', 'good')`)
    })
    await upload()
    expect(device.server.rows.has('tasks/p1')).toBe(false)
    expect(device.server.rows.has('tasks/p2')).toBe(true)
  })
})

function edit(
  table: string,
  recordId: string,
  values: Readonly<Record<string, string>>,
): { readonly table: string; readonly recordId: string; readonly values: Readonly<Record<string, string>> } {
  return { table, recordId, values }
}
