import { expect, test } from 'vitest'
import { watchUsage } from './watch-usage.ts'

test('a process whose files cannot be measured ends, and the reason is told first', async () => {
  const told: string[] = []
  const ended = Promise.withResolvers<void>()
  using _watch = watchUsage({
    pid: process.pid,
    folder: `/${'x'.repeat(300)}`,
    memoryBytesMax: Infinity,
    cpuMsMax: Infinity,
    beat: () => undefined,
    onUnmeasured: (reason) => told.push(reason),
    onExceeded(reason) {
      told.push(reason)
      ended.resolve()
    },
  })
  await ended.promise
  expect(told).toEqual([expect.stringContaining('ENAMETOOLONG'), 'disk'])
})
