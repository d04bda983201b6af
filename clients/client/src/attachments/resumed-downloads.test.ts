import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openPlayedFiles, type PlayedFiles } from './played-files.test-support.ts'
import type { StorageFault } from './played-storage.test-support.ts'

const PATIENCE = { timeout: 20_000, interval: 10 }
const ID = 'p1'
const GET = 'GET /object/authenticated/photos/mina/p1.jpg'

/** Bytes that differ at every position and for every seed. */
function bytes(size: number, seed = ''): Buffer {
  const pieces = Array.from({ length: Math.ceil(size / 32) }, (_, at) =>
    createHash('sha256').update(`${seed}${at}`).digest(),
  )
  return Buffer.concat(pieces).subarray(0, size)
}

function store({ storage }: PlayedFiles, content: Buffer): void {
  storage.objects.set(`photos/mina/${ID}.jpg`, { bytes: content, metadata: {}, by: 'mina' })
}

/** A device with these connection faults and another device's photo to download. */
async function openDue(content: Buffer, faults: readonly StorageFault[]): Promise<PlayedFiles> {
  const device = await openPlayedFiles()
  device.storage.faults.push(...faults)
  store(device, content)
  device.lead()
  await device.database.execute(
    `insert into photos (id, path, state, is_due) values ('${ID}', 'mina/${ID}.jpg', 'uploaded', 1)`,
  )
  return device
}

/** Waits for the next attempt to fail and advances to the following one. */
async function expectCut(device: PlayedFiles, requests: number): Promise<void> {
  await expect
    .poll(async () => {
      const { state, notBeforeMs = 0 } = (await device.attachments.find(ID)) ?? {}
      return [device.storage.requests.length, state, notBeforeMs > device.nowMs]
    }, PATIENCE)
    .toEqual([requests, 'queued_download', true])
  expect((await device.attachments.find(ID))?.attempts).toBe(1)
  device.pass(6_000)
}

async function expectHere(device: PlayedFiles, content: Buffer): Promise<void> {
  await expect.poll(() => device.state(ID), PATIENCE).toBe('cached')
  const here = await device.attachments.read(ID)
  expect(here && content.equals(new Uint8Array(await here.arrayBuffer()))).toBe(true)
  expect(await device.store.list()).toHaveLength(1)
}

describe('a download over a line that is cut each time', () => {
  test('goes on from where it was, as soon as after a first failure', async () => {
    const content = bytes(800_000)
    await using device = await openDue(content, ['cut', 'cut', 'lost_before'])
    await expectCut(device, 1)
    await expectCut(device, 2)
    // No progress: the second consecutive failure.
    await expect.poll(async () => (await device.attachments.find(ID))?.attempts, PATIENCE).toBe(2)
    device.pass(20_000)
    await expectHere(device, content)
    expect(device.storage.requests).toEqual([
      GET,
      `${GET} bytes=400000-`,
      `${GET} bytes=600000-`,
      `${GET} bytes=600000-`,
    ])
  })

  test('begins anew when the file has changed meanwhile', async () => {
    await using device = await openDue(bytes(800_000, 'before'), ['cut'])
    await expectCut(device, 1)
    const content = bytes(700_000, 'after')
    store(device, content)
    await expectHere(device, content)
  })

  test('leaves nothing of a file whose row the person may not see any more', async () => {
    await using device = await openDue(bytes(800_000), ['cut'])
    await expect.poll(async () => (await device.store.list())[0]?.size, PATIENCE).toBe(400_000)
    await device.database.execute('delete from photos')
    await expect.poll(() => device.store.list(), PATIENCE).toEqual([])
  })

  test('keeps nothing of what is as quickly fetched again', async () => {
    await using device = await openDue(bytes(100_000), ['cut'])
    await expectCut(device, 1)
    await expectHere(device, bytes(100_000))
    expect(device.storage.requests).toEqual([GET, GET])
  })
})
