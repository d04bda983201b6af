import { expect, test } from 'vitest'
import { barsOf, totalsOf } from './chart-bars.ts'

const service = {
  service: 'rest',
  requests: [4, 0, 2, 6],
  refused: [1, 0, 0, 2],
  failed: [0, 0, 1, 0],
  meanMs: [10, 0, 40, 20],
}

test('bars sum neighbouring steps and divide them by outcome', () => {
  expect(barsOf(service, 2)).toEqual([
    { ok: 3, refused: 1, failed: 0 },
    { ok: 5, refused: 2, failed: 1 },
  ])
  expect(barsOf(service, 3)).toHaveLength(2)
  expect(barsOf(service, 100)).toHaveLength(4)
})

test('the mean duration weighs each step by its requests', () => {
  expect(totalsOf(service)).toEqual({ requests: 12, refused: 3, failed: 1, meanMs: (4 * 10 + 2 * 40 + 6 * 20) / 12 })
  expect(totalsOf({ ...service, requests: [0, 0, 0, 0] }).meanMs).toBe(0)
})
