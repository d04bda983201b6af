import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { DatabaseMessage } from '../bus/bus.ts'
import { PublishQueue } from './publish-queue.ts'

const message = (id: number): DatabaseMessage => ({
  id: String(id),
  order: String(id),
  topic: 'room',
  isPrivate: false,
  broadcast: { event: 'x', encoding: 'json', payload: Buffer.from('{}'), meta: '{}' },
})

test('a queue that never runs empty forgets what it has published', async () => {
  const published: string[] = []
  // One message per turn, because the time budget is 0.
  const queue = new PublishQueue({ messagesMax: 10, bytesMax: 1_000, turnMs: 0 }, ({ id }) => published.push(id))
  queue.add(Array.from({ length: 5 }, (_, id) => message(id)))
  for (let id = 5; id < 500; id++) {
    expect(queue.add([message(id)])).toBe(0)
    await setImmediate()
    expect(queue.held).toBeLessThan(25)
  }
  await expect.poll(() => published.length).toBe(500)
  expect(published).toEqual(Array.from({ length: 500 }, (_, id) => String(id)))
})

test('what there is no room for is dropped and counted', () => {
  const published: string[] = []
  const queue = new PublishQueue({ messagesMax: 2, bytesMax: 1_000, turnMs: 0 }, ({ id }) => published.push(id))
  expect(queue.add([message(0), message(1), message(2), message(3)])).toBe(2)
})
