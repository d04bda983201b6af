import { expect, test } from 'vitest'
import { openPlayedDevice } from '../upload/played-device.test-support.ts'
import { liveQuery } from './live-query.ts'

test('a live query without rows is no longer loading once it has been answered', async () => {
  await using device = await openPlayedDevice()
  const tasks = liveQuery<{ title: string }>(device.database, `select title from tasks`)
  const unsubscribe = tasks.subscribe(() => undefined)
  await expect.poll(() => tasks.get()).toEqual({ rows: [], isLoading: false, error: undefined })
  await device.database.execute(`insert into tasks (id, title) values (uuid(), 'a')`)
  await expect.poll(() => tasks.get().rows).toEqual([{ title: 'a' }])
  unsubscribe()
})
