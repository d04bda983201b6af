import { expect, test } from 'vitest'
import { afterApplied, afterCut, afterRefused, type BatchSize, LARGEST_BATCH } from './batch-size.ts'

/** Simulates requests on a connection that lasts for a number of transactions. */
function play(lasts: number, requests: number, tookMs: number): { passed: number; cut: number } {
  let size: BatchSize = LARGEST_BATCH
  let [passed, cut] = [0, 0]
  for (let request = 0; request < requests; request++) {
    if (size.max <= lasts) {
      passed += size.max
      size = afterApplied(size)
    } else {
      cut += 1
      size = afterCut(size, size.max, tookMs)
    }
  }
  return { passed, cut }
}

test.each([1, 2, 3, 10, 40, 150])(
  'a line that lasts for %s transactions brings them over, and few requests are cut',
  (lasts) => {
    const { passed, cut } = play(lasts, 100, 10_000)
    expect(passed).toBeGreaterThanOrEqual(20 * lasts)
    expect(cut).toBeLessThanOrEqual(16)
  },
)

test('after a time without a line the largest request is reached again within nine', () => {
  let size = [1, 2, 3, 4, 5].reduce((before) => afterCut(before, before.max, 50), LARGEST_BATCH)
  expect(size.max).toBe(1)
  for (let request = 0; request < 8; request++) size = afterApplied(size)
  expect(size).toEqual(LARGEST_BATCH)
})

test('a request of one transaction cannot be shorter', () => {
  const size = { max: 1, cutAt: 2, passed: 3 }
  expect(afterCut(size, 1, 10_000)).toEqual(size)
})

test('after a refusal no more are sent than a line lasts for', () => {
  const cut = afterCut(LARGEST_BATCH, 40, 10_000)
  expect(afterRefused(cut, 30).max).toBe(40)
  expect(afterRefused(LARGEST_BATCH, 30).max).toBe(62)
  expect(afterRefused(LARGEST_BATCH, 150).max).toBe(200)
})
