import { expect, test } from 'vitest'
import { parseGoDuration } from './go-duration.ts'

test.each(['', 'none', '1', '1d', '24', 'h', '1h-3m', '1 h', '.h', '1h30', '1e3s', '9999999999999h', '--1h'])(
  'refuses %j, which Go does not read either',
  (text) => {
    expect(parseGoDuration(text)).toBeUndefined()
  },
)

test.each([
  ['0', 0],
  ['0s', 0],
  ['24h', 86_400_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1_500],
  ['300ms', 300],
  ['-2m', -120_000],
  ['87600h', 315_360_000_000],
])('reads %s as %d ms', (text, ms) => {
  expect(parseGoDuration(text)).toBe(ms)
})
