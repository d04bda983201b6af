// A step fails once and then works: no task may remain running until the app restarts.
import { describe, expect, test, vi } from 'vitest'
import { DeviceFull } from '../local-write.ts'
import { FileStoreFull } from './files/file-store.ts'
import { REST_MS } from './limits.ts'
import { openPlayedFiles, type PlayedFiles } from './played-files.test-support.ts'

const PATIENCE = { timeout: 20_000, interval: 10 }

async function expectState(device: PlayedFiles, id: string, state: string): Promise<void> {
  await expect.poll(() => device.state(id), PATIENCE).toBe(state)
}

/** Skips all pauses. */
function withoutRests(): Disposable {
  const { setTimeout: set } = globalThis
  const spy = vi
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation(((run: () => void, ms?: number) => set(run, ms === REST_MS ? 0 : ms)) as typeof setTimeout)
  return { [Symbol.dispose]: () => spy.mockRestore() }
}

describe('a photo goes up', () => {
  test('after the bytes that were prepared found no room', async () => {
    using _ = withoutRests()
    await using device = await openPlayedFiles()
    device.options = { prepare: async () => new Blob(['small']) }
    const { write } = device.store
    const { id } = await device.add(new Blob(['as it was taken']))
    let isFull = true
    device.store = {
      ...device.store,
      write: (...input) => (isFull ? Promise.reject(new FileStoreFull(undefined)) : write(...input)),
    }
    device.lead()
    await expect.poll(() => device.problems.length, PATIENCE).toBeGreaterThan(0)
    isFull = false
    await device.acceptOutbox()
    await expectState(device, id, 'uploaded')
  })

  test('as it was taken when what prepares it throws at once', async () => {
    using _ = withoutRests()
    await using device = await openPlayedFiles()
    device.options = {
      prepare: () => {
        throw new Error('no canvas')
      },
    }
    device.lead()
    const { id } = await device.add(new Blob(['as it was taken']))
    await device.acceptOutbox()
    await expectState(device, id, 'uploaded')
    expect(device.problems).toEqual([new Error('no canvas')])
  })

  test('after its bytes could not be read for a moment', async () => {
    using _ = withoutRests()
    await using device = await openPlayedFiles()
    const { read } = device.store
    const { id } = await device.add(new Blob(['photo']))
    const end = device.lead()
    await expectState(device, id, 'queued')
    await end()
    let isBusy = true
    device.store = { ...device.store, read: (name) => (isBusy ? Promise.reject(new Error('busy')) : read(name)) }
    device.lead()
    await device.acceptOutbox()
    await expect.poll(() => device.problems, PATIENCE).toContainEqual(new Error('busy'))
    isBusy = false
    await expectState(device, id, 'uploaded')
  })
})

test('a photo comes down after there was no room for saying that it did', async () => {
  using _ = withoutRests()
  await using device = await openPlayedFiles()
  device.storage.objects.set('photos/mina/p1.jpg', { bytes: Buffer.from('photo'), metadata: {}, by: 'mina' })
  let isFull = false
  device.onStep = (step) => {
    if (step === 'after write') isFull = true
    if (step === 'before apply' && isFull) throw new DeviceFull()
  }
  device.lead()
  await device.database.execute(
    `insert into photos (id, path, state, is_due) values ('p1', 'mina/p1.jpg', 'uploaded', 1)`,
  )
  await expect.poll(() => device.problems.length, PATIENCE).toBeGreaterThan(0)
  device.onStep = () => undefined
  await expectState(device, 'p1', 'cached')
})
