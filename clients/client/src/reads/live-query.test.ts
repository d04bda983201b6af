import { runsOf } from '@holdfast/test-support/runs'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { column, Schema, Table } from '@powersync/common'
import { openPlayedDevice, syncedTables, type PlayedDevice } from '../upload/played-device.test-support.ts'
import { localTables } from '../schema/local-tables.ts'
import { liveQuery, type LiveRows } from './live-query.ts'
import type { Value } from '../value.ts'

let device: PlayedDevice
beforeEach(async () => {
  device = await openPlayedDevice()
})
afterEach(() => device[Symbol.asyncDispose]())

const insert = (title: string): Promise<unknown> =>
  device.database.execute(`insert into tasks (id, title) values (uuid(), ?)`, [title])

/** Collects the results of a query from the first on. */
async function follow<Row extends object>(
  query: Value<LiveRows<Row>>,
): Promise<{ readonly told: LiveRows<Row>[]; stop(): void }> {
  const told: LiveRows<Row>[] = []
  const stop = query.subscribe(() => void told.push(query.get()))
  await expect.poll(() => told.length).toBe(1)
  return { told, stop }
}

/** Long enough for a second run to appear. */
const quiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 200))

describe('a live query', () => {
  test('without rows is no longer loading once it has been answered', async () => {
    const tasks = liveQuery<{ title: string }>(device.database, `select title from tasks`)
    expect(tasks.get()).toEqual({ rows: [], isLoading: true, error: undefined })
    const { told } = await follow(tasks)
    expect(told).toEqual([{ rows: [], isLoading: false, error: undefined }])
    await insert('a')
    await expect.poll(() => tasks.get().rows).toEqual([{ title: 'a' }])
  })

  test('follows all tables that it reads, and no other', async () => {
    const sql = `select t.title, s.name from tasks t left join sites s on s.id = t.site_id`
    const { told } = await follow(liveQuery<{ title: string; name: string }>(device.database, sql))
    await device.database.execute(`insert into orders (id, title) values (uuid(), 'of no interest')`)
    await quiet()
    expect(told).toHaveLength(1)
    await device.database.execute(`insert into sites (id, name) values ('quay', 'Quay')`)
    await device.database.execute(`insert into tasks (id, title, site_id) values (uuid(), 'a', 'quay')`)
    await expect.poll(() => told.at(-1)?.rows).toEqual([{ title: 'a', name: 'Quay' }])
    await device.database.execute(`update sites set name = 'Pier' where id = 'quay'`)
    await expect.poll(() => told.at(-1)?.rows).toEqual([{ title: 'a', name: 'Pier' }])
  })

  test('does not tell again what has not changed', async () => {
    await insert('a')
    const { told } = await follow(liveQuery(device.database, `select title from tasks`))
    await device.database.execute(`update tasks set points = 3`)
    await quiet()
    expect(told).toHaveLength(1)
  })

  test('that fails says so, and goes on when its table comes', async () => {
    const query = liveQuery<{ title: string }>(device.database, `select title from visits`)
    const { told } = await follow(query)
    expect(told[0]).toMatchObject({ rows: [], isLoading: false, error: { message: expect.stringContaining('visits') } })
    const readLock = vi.spyOn(device.database, 'readLock')
    await device.database.execute(`insert into sites (id, name) values (uuid(), 'changes do not make it readable')`)
    await quiet()
    expect(readLock).not.toHaveBeenCalled()
    const visits = new Table({ title: column.text })
    await device.database.updateSchema(new Schema({ ...syncedTables, ...localTables, visits }))
    await expect.poll(() => query.get()).toEqual({ rows: [], isLoading: false, error: undefined })
    await device.database.execute(`insert into visits (id, title) values (uuid(), 'a')`)
    await expect.poll(() => query.get().rows).toEqual([{ title: 'a' }])
  })

  test('reads the columns of a new schema', async () => {
    const query = liveQuery<Record<string, unknown>>(device.database, `select * from sites`)
    await device.database.execute(`insert into sites (id, name) values ('quay', 'Quay')`)
    const { stop } = await follow(query)
    const sites = new Table({ name: column.text, code: column.text })
    await device.database.updateSchema(new Schema({ ...syncedTables, ...localTables, sites }))
    await expect.poll(() => query.get().rows).toEqual([{ id: 'quay', name: 'Quay', code: null }])
    stop()
  })

  test('does not run without a subscriber, and begins again with the next', async () => {
    const query = liveQuery<{ title: string }>(device.database, `select title from tasks`)
    const { told, stop } = await follow(query)
    stop()
    await insert('a')
    await quiet()
    expect(told).toHaveLength(1)
    query.subscribe(() => undefined)
    await expect.poll(() => query.get().rows).toEqual([{ title: 'a' }])
  })

  test('runs for the next subscriber also when the last one ended twice', async () => {
    const query = liveQuery<{ title: string }>(device.database, `select title from tasks`)
    const { stop } = await follow(query)
    stop()
    stop()
    await insert('a')
    query.subscribe(() => undefined)
    await expect.poll(() => query.get().rows).toEqual([{ title: 'a' }])
  })

  test('of a database that is closed stops', async () => {
    const { told } = await follow(liveQuery(device.database, `select title from tasks`))
    await device.database.close()
    expect(told).toHaveLength(1)
  })
})

test('whatever is written, while it is read or between two runs, queries end with what SQLite has', async () => {
  const write = fc.oneof(
    fc.record({ kind: fc.constant('insert' as const), title: fc.string({ maxLength: 3 }) }),
    fc.record({ kind: fc.constant('update' as const), title: fc.string({ maxLength: 3 }) }),
    fc.record({ kind: fc.constant('delete' as const), title: fc.constant('') }),
    fc.record({ kind: fc.constant('pause' as const), title: fc.constant('') }),
  )
  const sqls = [
    `select title from tasks order by title, id`,
    `select count(*) as n from tasks`,
    `select s.name, count(t.id) as n from sites s left join tasks t on t.title = s.name group by s.id order by s.name, s.id`,
  ]
  const { database } = device
  const queries = sqls.map((sql) => liveQuery<Record<string, unknown>>(database, sql, [], { throttleMs: 1 }))
  await fc.assert(
    fc.asyncProperty(fc.array(write, { maxLength: 12 }), async (writes) => {
      const stops = queries.map((query) => query.subscribe(() => undefined))
      for (const { kind, title } of writes) {
        if (kind === 'insert') {
          await insert(title)
          await database.execute(`insert into sites (id, name) values (uuid(), ?)`, [title])
        } else if (kind === 'update') {
          await database.execute(`update tasks set title = ? where id = (select min(id) from tasks)`, [title])
        } else if (kind === 'delete') await database.execute(`delete from tasks where id = (select max(id) from tasks)`)
        else await new Promise((resolve) => setTimeout(resolve, 3))
      }
      for (const [index, sql] of sqls.entries()) {
        const wanted = await database.getAll(sql)
        await expect.poll(() => queries[index]?.get()).toEqual({ rows: wanted, isLoading: false, error: undefined })
      }
      for (const stop of stops) stop()
    }),
    { numRuns: runsOf(25) },
  )
})
