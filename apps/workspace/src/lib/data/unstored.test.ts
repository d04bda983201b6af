import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { storeOrTell, useUnstored } from './unstored.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const told = (): unknown => useUnstored.getState()

test('a write that is not answered is told as not stored yet, until it is', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stored = storeOrTell('change of Title', () => promise)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(told()).toEqual({ label: undefined, silent: undefined })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(told()).toEqual({ label: undefined, silent: 'change of Title' })
  resolve()
  expect(await stored).toBe(true)
  expect(told()).toEqual({ label: undefined, silent: undefined })
})

test('a write that is refused for want of room is told as not stored, also after a silence', async () => {
  const { promise, reject } = Promise.withResolvers<void>()
  const stored = storeOrTell('change of Title', () => promise)
  await vi.advanceTimersByTimeAsync(20_000)
  reject(new Error('database or disk is full'))
  expect(await stored).toBe(false)
  expect(told()).toEqual({ label: 'change of Title', silent: undefined })
  expect(await storeOrTell('change of Title', async () => undefined)).toBe(true)
  expect(told()).toEqual({ label: undefined, silent: undefined })
})
