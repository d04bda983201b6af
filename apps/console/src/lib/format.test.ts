import { expect, test } from 'vitest'
import { formatAgo, formatBytes, formatDuration, formatMs } from './format.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 KB'],
  [12_345_678, '12 MB'],
  [4_210_000_000, '4.2 GB'],
  [5e15, '5000 TB'],
])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

test.each([
  [0.04, '0.0 s'],
  [45, '45 s'],
  [119, '119 s'],
  [3_600, '60 min'],
  [86_400, '24 h'],
  [864_000, '10 days'],
])('%d seconds are %s', (seconds, text) => expect(formatDuration(seconds)).toBe(text))

test('a time in the future, by a clock that is ahead, is just now', () => {
  expect(formatAgo('2026-11-30T00:00:10Z', Date.parse('2026-11-30T00:00:00Z'))).toBe('just now')
})

test.each([
  [null, '–'],
  [0.25, '0.3 ms'],
  [450.4, '450 ms'],
  [9_999, '9,999 ms'],
  [60_000, '60 s'],
])('%d ms are %s', (ms, text) => expect(formatMs(ms)).toBe(text))
