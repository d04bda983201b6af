import { expect, test } from 'vitest'
import { type Clock, spacedReads } from './spaced-reads.ts'

/** A clock that moves only while something waits. */
function playedClock(): Clock & { readonly advance: (ms: number) => void } {
  let time = 0
  return {
    now: () => time,
    advance: (ms) => void (time += ms),
    wait: async (ms) => {
      await Promise.resolve()
      time += ms
    },
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 2_000; turn++) await Promise.resolve()
}

test('a read that is asked for after every change takes at most a fiftieth of the time', async () => {
  const clock = playedClock()
  const runs: number[] = []
  const reads = spacedReads(clock)
  const entry = reads.add(async () => {
    runs.push(clock.now())
    clock.advance(100)
    if (runs.length < 4) entry.request()
  })
  await settle()
  expect(runs).toHaveLength(4)
  for (const [index, start] of runs.slice(1).entries()) expect(start - (runs[index] ?? 0)).toBeGreaterThanOrEqual(5_000)
})

test('reads run one after the other, each once for many requests, and never after their end', async () => {
  const clock = playedClock()
  const log: string[] = []
  const reads = spacedReads(clock)
  const read = (name: string) => async (): Promise<void> => {
    log.push(`${name} starts`)
    await Promise.resolve()
    log.push(`${name} ends`)
  }
  const [first, second, third] = ['a', 'b', 'c'].map((name) => reads.add(read(name)))
  third?.[Symbol.dispose]()
  first?.request()
  first?.request()
  await settle()
  expect(log).toEqual(['a starts', 'a ends', 'b starts', 'b ends'])
  second?.request()
  await settle()
  expect(log.slice(4)).toEqual(['b starts', 'b ends'])
})
