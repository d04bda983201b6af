import { afterEach, expect, test, vi } from 'vitest'
import { silentLogger, systemClock } from '@holdfast/foundation'
import { createPool } from '@holdfast/postgres'
import { startDelivery } from './delivery.ts'

afterEach(() => void vi.useRealTimers())

test('leaves no timer when it is closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  // Without a channel it never queries the database.
  await using pool = createPool({ url: 'postgres://127.0.0.1:1/none', applicationName: 'test', connectionsMax: 1 })
  const delivery = startDelivery({ pool, clock: systemClock, logger: silentLogger, channels: {} })
  expect(vi.getTimerCount()).toBeGreaterThan(0)
  await delivery[Symbol.asyncDispose]()
  expect(vi.getTimerCount()).toBe(0)
})
