import { silentLogger } from '@holdfast/foundation'
import { expect, test } from 'vitest'
import { IdleDetector, releaseMemoryWhenIdle, type ProcessUse } from './release-memory-when-idle.ts'

const MIB = 1024 * 1024

/** Polls every 5 s; each step describes the process's activity since the previous poll. */
function looks(
  watch: IdleDetector,
  steps: readonly (Partial<ProcessUse> & { readonly busyMs: number })[],
  from: { atMs: number; processorMs: number } = { atMs: 0, processorMs: 0 },
): boolean[] {
  return steps.map(({ busyMs, ...use }) => {
    from.atMs += 5_000
    from.processorMs += busyMs
    return watch.look({ ...from, residentBytes: 200 * MIB, heapBytes: 100 * MIB, ...use })
  })
}

const quiet = { busyMs: 50 }
const busy = { busyMs: 2_500 }

test('a process that has been quiet for ten seconds gives memory back', () => {
  expect(looks(new IdleDetector(), [busy, quiet, quiet])).toEqual([false, false, true])
})

test('one that works again and again does not', () => {
  expect(looks(new IdleDetector(), [quiet, quiet, busy, quiet, busy, quiet])).not.toContain(true)
})

test('what has grown by little is left alone', () => {
  const watch = new IdleDetector()
  const time = { atMs: 0, processorMs: 0 }
  looks(watch, [quiet, quiet, quiet], time)
  const after = { ...time, residentBytes: 150 * MIB, heapBytes: 80 * MIB }
  watch.returned(after, after)
  const grown = (mib: number): boolean[] => {
    const use = { ...quiet, residentBytes: mib * MIB }
    return looks(watch, [use, use, use], time)
  }
  expect(grown(160)).not.toContain(true)
  expect(grown(170)).toContain(true)
})

test('a heap that would take long to collect is left to the engine', () => {
  const large = { ...quiet, heapBytes: 300 * MIB }
  expect(looks(new IdleDetector(), [large, large, large, large])).not.toContain(true)
})

test('a collection that took long is not repeated soon', () => {
  const watch = new IdleDetector()
  const time = { atMs: 100_000, processorMs: 200 }
  const after = { ...time, residentBytes: 0, heapBytes: 0 }
  watch.returned({ ...after, processorMs: 0 }, after)
  // A hundred times 200 ms.
  expect(looks(watch, [quiet, quiet, quiet, quiet], time)).toEqual([false, false, false, true])
})

test('garbage of a running process is collected', async () => {
  // In a separate function, whose frame holds no references after returning.
  const reference = (() => new WeakRef({ rows: Array.from({ length: 1_000 }, (_, index) => ({ index })) }))()
  using _ = releaseMemoryWhenIdle(silentLogger, { lookMs: 10, quietShare: Number.POSITIVE_INFINITY })
  await expect.poll(() => reference.deref() === undefined, { timeout: 20_000 }).toBe(true)
})
