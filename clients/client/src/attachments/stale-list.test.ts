import { expect, test } from 'vitest'
import { LIST_ACTIVE_FILES_SQL } from './file-table.ts'
import { openPlayedFiles } from './played-files.test-support.ts'
import { WAITING_ROWS_SQL } from './waiting-rows.ts'

const PATIENCE = { timeout: 20_000, interval: 10 }
const PHOTO = new Blob(['a photo'], { type: 'image/jpeg' })

test('an attempt that ends while the files are listed is not repeated before its time', async () => {
  await using device = await openPlayedFiles()
  device.storage.faults.push('lost_before', 'lost_before')
  device.lead()
  const { id } = await device.add(PHOTO)
  await device.acceptOutbox()
  const attempts = async (): Promise<number | undefined> => (await device.attachments.find(id))?.attempts
  await expect.poll(attempts, PATIENCE).toBe(1)
  // The second attempt is noted after the files have been listed again, and ends before that list is used.
  const { promise: listed, resolve: tellListed } = Promise.withResolvers<void>()
  const { promise: failed, resolve: tellFailed } = Promise.withResolvers<void>()
  const { database } = device
  const getAll = database.getAll.bind(database)
  const writeTransaction = database.writeTransaction.bind(database)
  let lists = 0
  database.getAll = async <T>(text: string, parameters?: unknown[]): Promise<T[]> => {
    if (text === WAITING_ROWS_SQL && lists === 2) await failed
    const rows = await getAll<T>(text, parameters)
    if (text === LIST_ACTIVE_FILES_SQL && ++lists === 2) tellListed()
    return rows
  }
  database.writeTransaction = async (...given) => {
    await listed
    return writeTransaction(...given)
  }
  const looked = (count: number): Promise<void> =>
    expect
      .poll(() => {
        device.pass(0)
        return lists
      }, PATIENCE)
      .toBeGreaterThanOrEqual(count)
  device.pass(13_000)
  await looked(2)
  await expect.poll(attempts, PATIENCE).toBe(2)
  tellFailed()
  await looked(4)
  expect(device.storage.requests).toHaveLength(2)
  device.pass(26_000)
  await expect.poll(() => device.state(id), PATIENCE).toBe('uploaded')
})
