// The server's schema changes while a rejected change is undecided.
import { column, Schema, Table } from '@powersync/common'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPlayedDevice, syncedTables, type PlayedDevice } from '../upload/played-device.test-support.ts'
import { localTables } from '../schema/local-tables.ts'

let device: PlayedDevice
let database: PlayedDevice['database']

/** A rejected change of t1, and a held one of the same column. */
beforeEach(async () => {
  device = await openPlayedDevice()
  database = device.database
  await database.execute(`insert into tasks (id, title) values ('t1', 'a')`)
  await device.queue.upload(database)
  await database.execute(`update tasks set title = 'bad', points = 1 where id = 't1'`)
  await device.queue.upload(database)
  await database.execute(`update tasks set points = 2 where id = 't1'`)
  await device.queue.upload(database)
})
afterEach(() => device[Symbol.asyncDispose]())

const refused = async (): Promise<string> => (await device.rejected().list())[0]?.id ?? ''

describe('a change of a column that is no longer there', () => {
  beforeEach(async () => {
    const tasks = new Table({ title: column.text, state: column.text, site_id: column.text })
    await database.updateSchema(new Schema({ ...syncedTables, tasks, ...localTables }))
  })

  test('can be given up, and what waited for it goes to the server, which decides', async () => {
    expect(await device.rejected().discard(await refused())).toBe(true)
    expect(await device.rejected().list()).toEqual([])
    expect(await device.waiting()).toBe(1)
  })

  test('can be sent again, whole', async () => {
    expect(
      await device.rejected().retry(await refused(), [{ table: 'tasks', recordId: 't1', values: { title: 'good' } }]),
    ).toBe(true)
    expect(await database.get(`select title from tasks where id = 't1'`)).toEqual({ title: 'good' })
    await device.queue.upload(database)
    expect(device.server.rows.get('tasks/t1')).toEqual({ title: 'good', points: 2 })
  })
})

describe('a change of a table that is no longer there', () => {
  beforeEach(async () => {
    const { tasks: _, ...others } = syncedTables
    await database.updateSchema(new Schema({ ...others, ...localTables }))
  })

  test('cannot be sent again, because its record is gone', async () => {
    await expect(device.rejected().retry(await refused())).rejects.toMatchObject({ name: 'RecordGone', recordId: 't1' })
    expect(await device.rejected().list()).toHaveLength(1)
  })

  test('can be given up; what waited for it is asked about then', async () => {
    expect(await device.rejected().discard(await refused())).toBe(true)
    const [held, ...others] = await device.rejected().list()
    expect(held).toMatchObject({ verdict: { status: 'no_row' }, recordId: 't1' })
    expect(others).toEqual([])
    expect(await device.rejected().discard(held?.id ?? '')).toBe(true)
    expect(await device.rejected().list()).toEqual([])
  })
})
