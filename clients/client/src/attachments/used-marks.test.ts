import { expect, test, vi } from 'vitest'
import { openPlayedFiles } from './played-files.test-support.ts'

test('files that are read together are marked as used in one transaction, and not again within a minute', async () => {
  await using device = await openPlayedFiles()
  const files = await Promise.all(Array.from({ length: 20 }, () => device.add(new Blob(['a photo']))))
  device.nowMs += 120_000
  const usedAt = async (): Promise<readonly number[]> =>
    (await Promise.all(files.map(({ id }) => device.attachments.find(id)))).map((file) => file?.usedAtMs ?? 0)
  const transactions = vi.spyOn(device.database, 'writeTransaction')
  await Promise.all(files.map(({ id }) => device.attachments.read(id)))
  await vi.waitFor(async () => expect(new Set(await usedAt())).toEqual(new Set([device.nowMs])), {
    timeout: 20_000,
    interval: 10,
  })
  expect(transactions).toHaveBeenCalledTimes(1)
  device.nowMs += 10_000
  await Promise.all(files.map(({ id }) => device.attachments.read(id)))
  expect(transactions).toHaveBeenCalledTimes(1)
})
