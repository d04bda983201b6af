import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseCsv } from './csv.ts'

describe('parseCsv', () => {
  test.each([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a\r1\r2', [['a'], ['1'], ['2']]],
    [
      'a,b\n,\n',
      [
        ['a', 'b'],
        ['', ''],
      ],
    ],
    ['a\n\n\nb', [['a'], ['b']]],
    ['"x ""y"", z","line\nbreak"', [['x "y", z', 'line\nbreak']]],
    ['', []],
  ])('reads %j', (text, records) => {
    expect(parseCsv(text)).toEqual(records)
  })

  test.each(['a"b', '"a', '"a"b'])('refuses %j', (text) => {
    expect(parseCsv(text)).toBeUndefined()
  })

  test('gives back any fields that were quoted', () => {
    const records = fc.array(fc.array(fc.string(), { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(records, fc.constantFrom('\n', '\r\n'), (rows, lineEnd) => {
        const lines = rows.map((row) => row.map((field) => `"${field.replaceAll('"', '""')}"`).join(','))
        expect(parseCsv(lines.join(lineEnd))).toEqual(rows)
      }),
    )
  })

  test('ends for any text', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('"', ',', '\n', '\r', 'a'), { maxLength: 30 }), (parts) => {
        const records = parseCsv(parts.join(''))
        expect(records === undefined || Array.isArray(records)).toBe(true)
      }),
    )
  })
})
