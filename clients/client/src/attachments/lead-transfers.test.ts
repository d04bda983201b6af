// Invariants: whatever ends the program and whatever the network does, an added photo reaches the server exactly once and complete, its row says so, and this
// device keeps the bytes until then; bytes of rows a user may no longer see are deleted from the device.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { COUNT_UNSENT_SQL, type UnsentCount } from '../local/count-unsent.ts'
import { DeviceFull } from '../local-write.ts'
import { openPlayedFiles, type PlayedFiles } from './played-files.test-support.ts'
import type { StorageFault } from './played-storage.test-support.ts'

const MIB = 1_048_576
const PATIENCE = { timeout: 20_000, interval: 10 }

function bytes(size: number): Blob {
  const pattern = Uint8Array.from({ length: 65_536 }, (_, index) => (index * 31) % 251)
  const pieces = Array.from({ length: Math.ceil(size / pattern.length) }, () => pattern)
  return new Blob(pieces).slice(0, size, 'image/jpeg')
}

async function expectState(device: PlayedFiles, id: string, state: string): Promise<void> {
  await expect.poll(() => device.state(id), PATIENCE).toBe(state)
}

/** On the server once, complete and linked, with no leftovers. */
async function expectArrived(device: PlayedFiles, id: string, sent: Blob): Promise<void> {
  await expect
    .poll(async () => {
      await device.acceptOutbox()
      const { state, notBeforeMs = 0 } = (await device.attachments.find(id)) ?? {}
      // A request of the dead tab may still arrive and cost the next one an attempt.
      if (notBeforeMs > device.nowMs) device.pass(notBeforeMs - device.nowMs)
      return state
    }, PATIENCE)
    .toBe('linked')
  const object = device.storage.objects.get(`photos/dana/${id}.jpg`)
  expect(object?.bytes.equals(new Uint8Array(await sent.arrayBuffer()))).toBe(true)
  expect([...device.storage.objects.keys()].filter((key) => key.includes(id))).toHaveLength(1)
  expect(await device.photoState(id)).toBe('uploaded')
}

describe('a photo that is added', () => {
  test('is on this device at once, and waits until the server has its row', async () => {
    await using device = await openPlayedFiles()
    device.lead()
    const { id } = await device.add(bytes(10))
    await expectState(device, id, 'queued')
    expect((await device.attachments.read(id))?.size).toBe(10)
    expect(device.storage.requests).toEqual([])
    await expectArrived(device, id, bytes(10))
    expect(device.storage.requests).toEqual([`POST /object/photos/dana/${id}.jpg`])
  })

  test('counts as unsent until the server has the row that shows it to others', async () => {
    await using device = await openPlayedFiles()
    const unsent = async (): Promise<number> => (await device.database.get<UnsentCount>(COUNT_UNSENT_SQL)).files
    device.lead()
    const { id } = await device.add(bytes(10))
    await device.acceptOutbox()
    await expectState(device, id, 'uploaded')
    expect(await unsent()).toBe(1)
    await expectArrived(device, id, bytes(10))
    expect(await unsent()).toBe(0)
  })

  test('is not there at all when its row cannot be written', async () => {
    await using device = await openPlayedFiles()
    const failing = device.attachments.add(bytes(10), {}, (tx) => tx.execute('insert into nothing values (1)'))
    await expect(failing).rejects.toThrow('nothing')
    const refused = await device.attachments.stage(bytes(10))
    await refused.discard()
    expect(await device.store.list()).toEqual([])
    expect(await device.database.getAll('select id from hf_local_files')).toEqual([])
  })

  test('goes up as it was prepared', async () => {
    await using device = await openPlayedFiles()
    device.options = { prepare: async () => new Blob(['small'], { type: 'image/webp' }) }
    device.lead()
    const { id } = await device.add(bytes(100))
    await expectArrived(device, id, new Blob(['small']))
    expect(await device.attachments.find(id)).toMatchObject({ size: 5, mediaType: 'image/webp' })
    expect(await device.store.list()).toHaveLength(1)
  })

  test('goes up as it was captured when it cannot be prepared', async () => {
    await using device = await openPlayedFiles()
    device.options = { prepare: () => Promise.reject(new Error('no canvas')) }
    device.lead()
    const { id } = await device.add(bytes(100))
    await expectArrived(device, id, bytes(100))
    expect(device.problems).toEqual([new Error('no canvas')])
  })

  test('keeps its bytes when its row was refused and given up, and can be exported', async () => {
    await using device = await openPlayedFiles()
    device.lead()
    const { id } = await device.add(bytes(10))
    await device.database.execute(
      "insert into hf_local_attention (id, record_id, state, operations) values ('a', ?, 'open', '[]')",
      [id],
    )
    await device.database.execute('delete from photos where id = ?', [id])
    await device.acceptOutbox()
    await expectState(device, id, 'queued') // undecided: the row may come back
    await device.database.execute("update hf_local_attention set state = 'discarded'")
    await expectState(device, id, 'refused')
    const exported = await device.attachments.exportFile(id)
    expect([exported?.name, exported?.size, exported?.type]).toEqual(['pump.jpg', 10, 'image/jpeg'])
    await device.attachments.remove(id)
    expect(await device.store.list()).toEqual([])
  })
})

describe('a network that lies', () => {
  test.each<{ readonly faults: readonly StorageFault[]; readonly size: number; readonly title: string }>([
    { title: 'that is not there', faults: ['lost_before', 'lost_before'], size: 10 },
    { title: 'that loses the answer', faults: ['lost_after'], size: 10 },
    { title: 'of a hotel', faults: ['portal', 'portal'], size: 10 },
    { title: 'with a proxy that gives up', faults: [503, 503], size: 10 },
    { title: 'that is cut between parts', faults: ['none', 'none', 'lost_before', 'lost_before'], size: 13 * MIB },
    {
      title: 'that loses the answers of parts',
      faults: ['lost_after', 'none', 'lost_after', 'none', 'lost_after'],
      size: 13 * MIB,
    },
    { title: 'of a hotel, in the middle of a large one', faults: ['none', 'portal', 'portal', 503], size: 13 * MIB },
    { title: 'that loses the last answer', faults: ['none', 'none', 'none', 'lost_after'], size: 13 * MIB },
  ])('$title does not keep a photo of $size bytes', async ({ faults, size }) => {
    await using device = await openPlayedFiles()
    device.storage.faults.push(...faults)
    device.lead()
    const { id } = await device.add(bytes(size))
    await expect
      .poll(async () => {
        device.pass(600_000)
        await sleep(20)
        await device.acceptOutbox()
        return device.state(id)
      }, PATIENCE)
      .toBe('linked')
    await expectArrived(device, id, bytes(size))
  })

  test('a large file goes on where it was, and does not begin again', async () => {
    await using device = await openPlayedFiles()
    device.storage.faults.push('none', 'none', 'lost_before')
    device.lead()
    const { id } = await device.add(bytes(13 * MIB))
    await device.acceptOutbox()
    await expect.poll(async () => (await device.attachments.find(id))?.attempts, PATIENCE).toBe(1)
    expect((await device.attachments.find(id))?.sentBytes).toBe(6 * MIB)
    device.pass(600_000)
    await expectArrived(device, id, bytes(13 * MIB))
    const methods = device.storage.requests.map((request) => request.split(' ')[0])
    expect(methods).toEqual(['POST', 'PATCH', 'PATCH', 'HEAD', 'PATCH', 'PATCH'])
  })

  test('a line that brings a file further each time makes it wait no longer each time', async () => {
    await using device = await openPlayedFiles()
    device.storage.faults.push('none', 'half', 'none', 'half', 'none', 'lost_before')
    device.lead()
    const { id } = await device.add(bytes(13 * MIB))
    await device.acceptOutbox()
    const expectFailed = async (requests: number, attempts: number): Promise<void> => {
      const seen = async (): Promise<unknown> => {
        device.pass(0) // the previous attempt may have been ending when its retry was due
        return [device.storage.requests.length, (await device.attachments.find(id))?.attempts]
      }
      await expect.poll(seen, PATIENCE).toEqual([requests, attempts])
      device.pass(13_000)
    }
    await expectFailed(2, 1)
    await expectFailed(4, 1)
    await expectFailed(6, 1)
    device.storage.faults.push('none', 'lost_before')
    await expectFailed(8, 2)
    await expectArrived(device, id, bytes(13 * MIB))
  })

  test('one file that hangs does not keep the others, and ends when the person stops it', async () => {
    await using device = await openPlayedFiles()
    device.storage.faults.push('hang')
    device.lead()
    const hanging = await device.add(bytes(10))
    await device.acceptOutbox()
    await expectState(device, hanging.id, 'uploading')
    const other = await device.add(bytes(10))
    await device.acceptOutbox()
    await expectState(device, other.id, 'uploaded')
    await device.attachments.setFilePaused(hanging.id, true)
    await expectState(device, hanging.id, 'queued')
    await device.attachments.retry(hanging.id)
    await expectState(device, hanging.id, 'uploaded')
  })

  test('a file that is too large is refused with the reason, and the next one goes', async () => {
    await using device = await openPlayedFiles()
    device.storage.faults.push(413)
    device.lead()
    const { id } = await device.add(bytes(10))
    await device.acceptOutbox()
    await expectState(device, id, 'refused')
    expect((await device.attachments.find(id))?.problem).toMatchObject({ code: 'EntityTooLarge', status: 413 })
    expect((await device.attachments.read(id))?.size).toBe(10)
    await device.attachments.retry(id)
    await expectArrived(device, id, bytes(10))
  })

  test('what lies at the key and is not this upload is a refusal', async () => {
    await using device = await openPlayedFiles()
    const { id } = await device.add(bytes(10))
    device.storage.objects.set(`photos/dana/${id}.jpg`, { bytes: Buffer.alloc(10), metadata: {}, by: 'mina' })
    device.lead()
    await device.acceptOutbox()
    await expectState(device, id, 'refused')
    expect((await device.attachments.find(id))?.problem?.code).toBe('KeyAlreadyExists')
  })
})

describe('the end of the program at each step', () => {
  test.each([
    { size: 10, title: 'of a small file' },
    { size: 7 * MIB, title: 'of a large file' },
  ])(
    '$title loses nothing and sends it once',
    async ({ size }) => {
      await using device = await openPlayedFiles()
      device.options = { prepare: async (original) => original.slice(0, original.size - 1) }
      const sent = bytes(size).slice(0, size - 1)
      let isDead = true
      for (let step = 1; isDead; step++) {
        const { id } = await device.add(bytes(size))
        await device.acceptOutbox()
        let taken = 0
        isDead = false
        device.onStep = () => {
          if (++taken === step) isDead = true
          if (isDead) throw new Error('died')
        }
        const crash = device.lead()
        await expect
          .poll(async () => {
            await device.acceptOutbox()
            return isDead || (await device.state(id)) === 'linked'
          }, PATIENCE)
          .toBe(true)
        await crash()
        device.onStep = () => undefined
        const end = device.lead()
        device.pass(600_000)
        await expectArrived(device, id, sent)
        expect((await device.attachments.read(id))?.size).toBe(size - 1)
        await device.attachments.remove(id, (tx) => tx.execute('delete from photos'))
        await end()
        if (!isDead) expect(step).toBeGreaterThan(8)
      }
    },
    120_000,
  )
})

describe('a photo of another device', () => {
  const remote = async (
    device: PlayedFiles,
    id: string,
    change: { state?: string; isDue?: boolean } = {},
  ): Promise<void> => {
    device.storage.objects.set(`photos/mina/${id}.jpg`, {
      bytes: Buffer.from(`bytes of ${id}`),
      metadata: {},
      by: 'mina',
    })
    const { state = 'uploaded', isDue = false } = change
    await device.database.execute('insert into photos (id, path, state, is_due) values (?, ?, ?, ?)', [
      id,
      `mina/${id}.jpg`,
      state,
      isDue ? 1 : 0,
    ])
  }

  test('is elsewhere, then on the server, then here when it is opened', async () => {
    await using device = await openPlayedFiles()
    device.lead()
    await remote(device, 'p1', { state: 'declared' })
    await expectState(device, 'p1', 'elsewhere')
    await device.database.execute("update photos set state = 'uploaded'")
    await expectState(device, 'p1', 'remote')
    expect(device.storage.requests).toEqual([])
    await device.attachments.want('p1')
    await expectState(device, 'p1', 'cached')
    expect(await (await device.attachments.read('p1'))?.text()).toBe('bytes of p1')
  })

  test('comes by itself when it is due', async () => {
    await using device = await openPlayedFiles()
    device.lead()
    await remote(device, 'p1', { isDue: true })
    await expectState(device, 'p1', 'cached')
  })

  test.each<StorageFault>(['cut', 'portal', 'lost_before', 503])(
    'comes whole after a line that is %s',
    async (fault) => {
      await using device = await openPlayedFiles()
      device.storage.faults.push(fault)
      device.lead()
      await remote(device, 'p1', { isDue: true })
      await expect.poll(async () => (await device.attachments.find('p1'))?.attempts, PATIENCE).toBe(1)
      expect(await device.attachments.read('p1')).toBeUndefined()
      device.pass(600_000)
      await expectState(device, 'p1', 'cached')
      expect(await (await device.attachments.read('p1'))?.text()).toBe('bytes of p1')
      expect(await device.store.list()).toHaveLength(1)
    },
  )

  test('leaves the device when the person may not see its row any more', async () => {
    await using device = await openPlayedFiles()
    device.lead()
    await remote(device, 'p1', { isDue: true })
    await expectState(device, 'p1', 'cached')
    await device.database.execute('delete from photos')
    await expectState(device, 'p1', undefined as unknown as string)
    await expect.poll(() => device.store.list(), PATIENCE).toEqual([])
  })

  test('gives way to the one that is opened, and what was not sent never does', async () => {
    await using device = await openPlayedFiles()
    device.options = { cacheBytesMax: 11 }
    device.storage.faults.push(413)
    device.lead()
    const mine = await device.add(bytes(100))
    await device.acceptOutbox()
    await expectState(device, mine.id, 'refused')
    for (const id of ['p1', 'p2']) {
      await remote(device, id)
      await expectState(device, id, 'remote')
      device.nowMs += 1_000
      await device.attachments.want(id)
      await expectState(device, id, 'cached')
    }
    await expectState(device, 'p1', 'evicted')
    expect((await device.attachments.read(mine.id))?.size).toBe(100)
    await device.attachments.freeUpSpace(11)
    await expectState(device, 'p2', 'cached')
    await device.attachments.freeUpSpace()
    expect(await device.attachments.usage()).toMatchObject({ cachedBytes: 0, unsentFiles: 1, unsentBytes: 100 })
  })

  test('makes room on a device that has none left for writing down what goes', async () => {
    await using device = await openPlayedFiles()
    device.lead()
    for (const id of ['p1', 'p2']) {
      await remote(device, id)
      await expectState(device, id, 'remote')
      await device.attachments.want(id)
      await expectState(device, id, 'cached')
    }
    device.onStep = (step) => {
      if (step === 'before apply' && stored.size > 0) throw new DeviceFull()
      if (step === 'after remove') stored.delete([...stored][0] ?? '')
    }
    const stored = new Set((await device.store.list()).map(({ name }) => name))
    expect(stored.size).toBe(2)
    await device.attachments.freeUpSpace()
    expect(await device.store.list()).toEqual([])
    await expectState(device, 'p1', 'evicted')
    await expectState(device, 'p2', 'evicted')
  })

  test('is unavailable when storage has none for this person, until it is asked for again', async () => {
    await using device = await openPlayedFiles()
    device.lead()
    await remote(device, 'p1')
    device.storage.objects.clear()
    await expectState(device, 'p1', 'remote')
    await device.attachments.want('p1')
    await expectState(device, 'p1', 'unavailable')
  })
})

test('two tabs that both believe to lead send a photo once', async () => {
  await using device = await openPlayedFiles()
  device.lead()
  device.lead()
  const { id } = await device.add(bytes(10))
  await expectArrived(device, id, bytes(10))
})

test('bytes that no file names are deleted an hour after a crash left them, not before', async () => {
  await using device = await openPlayedFiles()
  await device.store.write('left-over', new Blob(['x']))
  await device.lead()()
  expect(await device.store.list()).toHaveLength(1)
  device.nowMs += 3_700_000
  await device.lead()()
  expect(await device.store.list()).toEqual([])
})
