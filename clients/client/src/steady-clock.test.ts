import { expect, test } from 'vitest'
import { steadyClock } from './steady-clock.ts'

test('durations go on when the clock is set back, and are as long as the clock says otherwise', () => {
  let at = 10_000
  const now = steadyClock(() => at)
  const began = now()
  at += 500
  expect(now() - began).toBe(500)
  at -= 3_600_000
  expect(now() - began).toBe(500)
  at += 250
  expect(now() - began).toBe(750)
  at += 3_600_000
  expect(now() - began).toBe(3_600_750)
})
