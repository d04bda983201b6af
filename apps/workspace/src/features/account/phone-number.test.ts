import { expect, test } from 'vitest'
import { digitsOf } from './phone-number.ts'

test.each([
  ['+44 7700 900123', '447700900123'],
  ['+44 (0)7700 900-123', '447700900123'],
  ['0044 7700 900123', '447700900123'],
  ['447700900123', '447700900123'],
  ['07700 900123', undefined],
  ['+44', undefined],
  ['a number', undefined],
  ['', undefined],
  ['+1234567890123456', undefined],
])('%j is %j', (text, digits) => {
  expect(digitsOf(text)).toBe(digits)
})
