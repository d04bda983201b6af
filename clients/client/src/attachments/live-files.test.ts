import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openPlayedFiles, type PlayedFiles } from './played-files.test-support.ts'

let device: PlayedFiles
beforeEach(async () => {
  device = await openPlayedFiles()
})
afterEach(() => device[Symbol.asyncDispose]())

const PATIENCE = { timeout: 20_000, interval: 10 }
const add = async (): Promise<string> => (await device.add(new Blob(['a photo']))).id

test('a file is told as it is, and whenever it changes', async () => {
  const id = await add()
  const live = device.attachments.live(id)
  expect(live.get()).toEqual({ file: undefined, isLoading: true })
  using stack = new DisposableStack()
  stack.defer(live.subscribe(() => undefined))
  await vi.waitFor(() => expect(live.get().file?.isPaused).toBe(false), PATIENCE)
  await device.attachments.setFilePaused(id, true)
  await vi.waitFor(() => expect(live.get().file?.isPaused).toBe(true), PATIENCE)
  await device.attachments.remove(id)
  await vi.waitFor(() => expect(live.get()).toEqual({ file: undefined, isLoading: false }), PATIENCE)
})

test('a hundred pictures on one screen are read by one query, and a change is told to the one that changed', async () => {
  const ids = await Promise.all(Array.from({ length: 100 }, add))
  const readLock = vi.spyOn(device.database, 'readLock')
  const told: string[] = []
  using stack = new DisposableStack()
  for (const id of ids) stack.defer(device.attachments.live(id).subscribe(() => told.push(id)))
  await vi.waitFor(() => expect(told).toHaveLength(100), PATIENCE)
  expect(readLock).toHaveBeenCalledTimes(1)
  told.length = 0
  const [first = ''] = ids
  await device.attachments.setFilePaused(first, true)
  await vi.waitFor(() => expect(device.attachments.live(first).get().file?.isPaused).toBe(true), PATIENCE)
  expect(told).toEqual([first])
})

test('what one subscriber leaves another one goes on with, and after the last nothing is read', async () => {
  const id = await add()
  const live = device.attachments.live(id)
  const stopFirst = live.subscribe(() => undefined)
  const stopSecond = live.subscribe(() => undefined)
  await vi.waitFor(() => expect(live.get().isLoading).toBe(false), PATIENCE)
  stopFirst()
  await device.attachments.setFilePaused(id, true)
  await vi.waitFor(() => expect(live.get().file?.isPaused).toBe(true), PATIENCE)
  stopSecond()
  expect(live.get()).toEqual({ file: undefined, isLoading: true })
})
