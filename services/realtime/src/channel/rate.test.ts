import { expect, test } from 'vitest'
import { Rate } from './rate.ts'

test('a rate lets a burst through and then so many a second', () => {
  const rate = new Rate(2, 0)
  expect([0, 0, 0].map((now) => rate.take(1, now))).toEqual([true, true, false])
  expect([500, 500, 1_000, 60_000, 60_000, 60_000].map((now) => rate.take(1, now))).toEqual([
    true,
    false,
    true,
    true,
    true,
    false,
  ])
})

test('what was used already is waited for', () => {
  const rate = new Rate(100, 0)
  expect(rate.use(100, 0)).toBe(0)
  expect(rate.use(50, 0)).toBe(500)
  expect(rate.use(10, 600)).toBe(0)
})

test('a clock that is set back gives nothing', () => {
  const rate = new Rate(1, 10_000)
  expect(rate.take(1, 10_000)).toBe(true)
  expect(rate.take(1, 0)).toBe(false)
})

test('no rate is no limit', () => {
  const rate = new Rate(0, 0)
  expect([rate.take(1e9, 0), rate.use(1e9, 0)]).toEqual([true, 0])
})
