import { expect, test } from 'vitest'
import { openPlayedDevice } from '../upload/played-device.test-support.ts'
import { DECIDED_MAX } from './forget-decided.ts'

/** Decided items by position, oldest first. */
const SQL_DECIDED = `select position from hf_local_attention where state <> 'open' order by position`

test('decided items are kept to a number, and those whose entries are in the queue stay', async () => {
  await using device = await openPlayedDevice()
  const { database } = device
  const positions = async (): Promise<readonly number[]> =>
    (await database.getAll<{ position: number }>(SQL_DECIDED)).map(({ position }) => position)
  const refuse = async (): Promise<string> => {
    await database.execute(`insert into tasks (id, title) values (uuid(), 'bad')`)
    await device.queue.upload(database)
    const [item] = await device.rejected().list()
    return item?.id ?? ''
  }
  for (let round = 0; round < DECIDED_MAX + 3; round++) await device.rejected().discard(await refuse())
  const before = await positions()
  expect(before).toHaveLength(DECIDED_MAX)

  // The queue contains something older than the next item to delete, so nothing is deleted.
  const id = await refuse()
  await database.execute(`insert into tasks (id, title) values (uuid(), 'waits')`)
  await database.execute(`update ps_crud set id = ?`, [(before[0] ?? 0) - 1])
  await device.rejected().discard(id)
  expect((await positions()).slice(0, DECIDED_MAX)).toEqual(before)
})
