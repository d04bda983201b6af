import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MessageShare } from './message-share.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function openSender() {
  const state = { isHeld: false, hold: () => void (state.isHeld = true), release: () => void (state.isHeld = false) }
  return state
}

test('above the limit those wait who send most, until the next second', () => {
  const share = new MessageShare(100)
  const [loud, quiet] = [openSender(), openSender()]
  for (let message = 0; message < 101; message++) share.take(loud)
  expect(loud.isHeld).toBe(true)
  for (let message = 0; message < 50; message++) share.take(quiet)
  expect(quiet.isHeld).toBe(false)
  share.take(quiet)
  expect(quiet.isHeld).toBe(true)
  vi.advanceTimersByTime(1_000)
  expect([loud.isHeld, quiet.isHeld]).toEqual([false, false])
  share.take(loud)
  expect(loud.isHeld).toBe(false)
})

test('without a limit no message waits', () => {
  const share = new MessageShare(0)
  const sender = openSender()
  for (let message = 0; message < 100_000; message++) share.take(sender)
  expect(sender.isHeld).toBe(false)
})
