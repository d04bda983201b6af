import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderCsv, withoutApostrophe } from './csv.ts'

test('cells with commas, quotes and line breaks are quoted, and nothing runs as a formula', () => {
  expect(
    renderCsv([
      ['a', 'b,c', 'say "x"', 'two\nlines'],
      ['=1+1', '-7.5', '+49', '@me', '-x', '＝1'],
    ]),
  ).toBe(`\uFEFFa,"b,c","say ""x""","two\nlines"\r\n'=1+1,-7.5,+49,'@me,'-x,'＝1\r\n`)
})

test('the apostrophe is taken off again, and none that a person wrote', () => {
  const texts = fc.string({ unit: fc.constantFrom("'", '=', '-', '1', 'a', '\t') })
  fc.assert(
    fc.property(texts, (text) => {
      const cell = renderCsv([[text]]).slice(1, -2)
      expect(withoutApostrophe(cell.startsWith('"') ? cell.slice(1, -1) : cell)).toBe(text)
    }),
  )
})
