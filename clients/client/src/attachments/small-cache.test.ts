import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import { openPlayedFiles, type PlayedFiles } from './played-files.test-support.ts'

const PATIENCE = { timeout: 20_000, interval: 10 }

async function open(device: PlayedFiles, id: string): Promise<void> {
  device.storage.objects.set(`photos/mina/${id}.jpg`, { bytes: Buffer.alloc(20, id), metadata: {}, by: 'mina' })
  await device.database.execute('insert into photos (id, path, state, is_due) values (?, ?, ?, 0)', [
    id,
    `mina/${id}.jpg`,
    'uploaded',
  ])
  await expect.poll(() => device.state(id), PATIENCE).toBe('remote')
  device.nowMs += 1_000
  await device.attachments.want(id)
}

test.each([0, 10])(
  'a photo above the limit of %s bytes is here once it is opened, until the next one is',
  async (cacheBytesMax) => {
    await using device = await openPlayedFiles()
    device.options = { cacheBytesMax }
    device.lead()
    await open(device, 'p1')
    await expect.poll(async () => (await device.attachments.read('p1'))?.size, PATIENCE).toBe(20)
    await open(device, 'p2')
    await expect.poll(() => device.state('p2'), PATIENCE).toBe('cached')
    await expect.poll(() => device.state('p1'), PATIENCE).toBe('evicted')
    expect(await device.store.list()).toHaveLength(1)
  },
)

test('a photo above the limit that was taken here stays when it has gone up, until the next one is opened', async () => {
  await using device = await openPlayedFiles()
  device.options = { cacheBytesMax: 10 }
  device.lead()
  const { id } = await device.add(new Blob(['x'.repeat(20)]))
  await expect
    .poll(async () => {
      await device.acceptOutbox()
      return device.state(id)
    }, PATIENCE)
    .toBe('linked')
  await open(device, 'p1')
  await expect.poll(() => device.state(id), PATIENCE).toBe('evicted')
})

test('rows that name no file keep no other from coming', async () => {
  await using device = await openPlayedFiles()
  device.lead()
  await device.database.execute(`insert into photos (id, path, state, is_due) values ('none', null, 'uploaded', 0)`)
  await open(device, 'p1')
  await expect.poll(() => device.state('p1'), PATIENCE).toBe('cached')
  expect(device.problems).toEqual([])
})
