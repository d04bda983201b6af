import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatLsn, parseLsn, type Lsn } from './lsn.ts'

describe('parseLsn', () => {
  test.each([
    ['0/0', 0n],
    ['16/B374D848', 0x16_b374d848n],
    ['ffffffff/ffffffff', 0xffffffff_ffffffffn],
  ])('reads %s', (text, value) => {
    expect(parseLsn(text)).toBe(value)
  })

  test.each(['', '0', '0/', '0/G', '0/123456789', ' 0/0', '0/0\n'])('refuses %j', (text) => {
    expect(parseLsn(text)).toBeUndefined()
  })

  test('undoes formatLsn for every 64-bit position', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (position) => {
        expect(parseLsn(formatLsn(position as Lsn))).toBe(position)
      }),
    )
  })
})

test('formatLsn prints as Postgres does, without leading zeros and in upper case', () => {
  expect(formatLsn(0x1_00000abcn as Lsn)).toBe('1/ABC')
})
