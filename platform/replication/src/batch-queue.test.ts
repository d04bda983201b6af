import * as fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { createBatchQueue, type BatchQueue } from './batch-queue.ts'

function open(options: { itemsMin?: number; itemsMax?: number; bytesMax?: number }): {
  queue: BatchQueue<number>
  onFull: () => void
  onRoom: () => void
} {
  const onFull = vi.fn<() => void>()
  const onRoom = vi.fn<() => void>()
  const queue = createBatchQueue<number>({ itemsMin: 1, itemsMax: 100, bytesMax: 1000, ...options, onFull, onRoom })
  return { queue, onFull, onRoom }
}

describe('a batch queue', () => {
  test('delivers every item once, in order, in batches of bounded size', async () => {
    const pushes = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(pushes, fc.integer({ min: 1, max: 20 }), async (sizes, itemsMax) => {
        const { queue } = open({ itemsMin: itemsMax, itemsMax, bytesMax: 40 })
        let count = 0
        const reading = (async () => {
          const read: number[] = []
          for (let batch = await queue.take(); batch !== undefined; batch = await queue.take()) {
            expect(batch.length).toBeGreaterThan(0)
            expect(batch.length).toBeLessThanOrEqual(itemsMax)
            read.push(...batch)
          }
          return read
        })()
        for (const size of sizes) {
          const items = Array.from({ length: size }, () => count++)
          queue.push(items, size)
          if (size % 3 === 0) await Promise.resolve()
        }
        queue.end()
        expect(await reading).toEqual(Array.from({ length: count }, (_, index) => index))
      }),
    )
  })

  test('stops its source when enough waits, and starts it again when that was taken', async () => {
    const { queue, onFull, onRoom } = open({})
    queue.push([1], 999)
    expect(onFull).not.toHaveBeenCalled()
    queue.push([2], 1)
    expect(onFull).toHaveBeenCalledOnce()
    expect(onRoom).not.toHaveBeenCalled()
    expect(await queue.take()).toEqual([1, 2])
    expect(onRoom).toHaveBeenCalledOnce()
  })

  test('a few large items are handed on before the batch is complete', async () => {
    const { queue } = open({ itemsMin: 10 })
    queue.push([1], 5000)
    expect(await queue.take()).toEqual([1])
  })

  test('after a failure it still delivers what came before, then throws', async () => {
    const { queue } = open({})
    queue.push([1], 1)
    queue.end(new Error('gone'))
    expect(await queue.take()).toEqual([1])
    await expect(queue.take()).rejects.toThrow('gone')
  })

  test('discarding ends a consumer that waits', async () => {
    const { queue } = open({})
    const taking = queue.take()
    queue.discard()
    expect(await taking).toBeUndefined()
  })
})
