import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { throttleLatest } from './throttle-latest.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('the first call runs at once, and of the next ones the newest at the end of the interval', () => {
  const ran: number[] = []
  const call = throttleLatest((value: number) => ran.push(value), 200)
  for (const value of [1, 2, 3]) call(value)
  expect(ran).toEqual([1])
  vi.advanceTimersByTime(200)
  expect(ran).toEqual([1, 3])
  call(4)
  expect(ran).toEqual([1, 3])
  vi.advanceTimersByTime(200)
  expect(ran).toEqual([1, 3, 4])
})

test('after an interval without a call the next one runs at once', () => {
  const ran: number[] = []
  const call = throttleLatest((value: number) => ran.push(value), 200)
  call(1)
  vi.advanceTimersByTime(200)
  call(2)
  expect(ran).toEqual([1, 2])
})

test('what was cancelled never runs', () => {
  const ran: number[] = []
  const call = throttleLatest((value: number) => ran.push(value), 200)
  call(1)
  call(2)
  call.cancel()
  vi.advanceTimersByTime(1_000)
  expect(ran).toEqual([1])
})
