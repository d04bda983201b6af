import { expect, test } from 'vitest'
import { parseDurationMs } from './duration.ts'

test.each([
  ['8s', 8_000],
  ['1500', 1_500],
  ['100ms', 100],
  ['1.5min', 90_000],
  [' 2 h ', 7_200_000],
  ['1d', 86_400_000],
  ['0', 0],
  ['', undefined],
  ['8 years', undefined],
])('reads %j', (text, ms) => {
  expect(parseDurationMs(text)).toBe(ms)
})
