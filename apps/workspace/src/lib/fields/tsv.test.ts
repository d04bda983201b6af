import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseTsv, renderTsv } from './tsv.ts'

describe('parseTsv', () => {
  test.each([
    ['a\tb\nc\td', [['a', 'b'], ['c', 'd']]],
    ['a\tb\r\nc\td\r\n', [['a', 'b'], ['c', 'd']]],
    ['"two\nlines"\tb', [['two\nlines', 'b']]],
    ['"say ""hello"""\t', [['say "hello"', '']]],
    ['5" pipe\tx', [['5" pipe', 'x']]],
    ['"unclosed\tb', [['"unclosed', 'b']]],
    ['', [['']]],
    ['\t', [['', '']]],
  ])('reads %j', (text, rows) => {
    expect(parseTsv(text)).toEqual(rows)
  }) // prettier-ignore

  test('undoes renderTsv for every table', () => {
    const cell = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('"', '\t', '\n', '\r', 'a', ' ') }))
    const table = fc
      .integer({ min: 1, max: 5 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }),
      )
    fc.assert(
      fc.property(table, (rows) => {
        expect(parseTsv(renderTsv(rows))).toEqual(rows)
      }),
      { numRuns: runsOf(500) },
    )
  })
})
