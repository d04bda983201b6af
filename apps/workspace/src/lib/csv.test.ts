import { streamCsvRows } from 'hucre/csv'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderCsv } from './csv.ts'
import { withoutGuards } from './spreadsheet-text.ts'

test('cells with commas, quotes and line breaks are quoted, and nothing runs as a formula', () => {
  expect(
    renderCsv([
      ['a', 'b,c', 'say "x"', 'two\nlines'],
      ['=1+1', '-7.5', '+49', '@me', '-x', '＝1'],
    ]),
  ).toBe(`\uFEFFa,"b,c","say ""x""","two\nlines"\r\n'=1+1,-7.5,+49,'@me,'-x,'＝1\r\n`)
})

const cell = fc.string({
  unit: fc.constantFrom(...`=+-@＝'"",;|(a1 `, '\t', '\n', '\r', '\u00a0', '＋', '＠', '－', '\0', '\v'),
  maxLength: 12,
})

/** Whether a spreadsheet may evaluate the text. Numbers and phone numbers are safe. */
function isFormula(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- readers may strip them
  const begins = text.replace(/^[\s"\0-\x1f]+/, '')
  return /^[=+\-@＝＋－＠]/.test(begins) && !/^[+-]\d[\d ()]*(,|$)/.test(begins)
}

test('no reader finds a formula, whichever separator it takes', () => {
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 4 }), (texts) => {
      const csv = renderCsv([texts]).slice(1)
      for (const delimiter of [',', ';', '\t']) {
        const cells = [...streamCsvRows(csv, { delimiter })].flat().map(String)
        expect(cells.filter(isFormula)).toEqual([])
      }
      // A parser that ignores quotes.
      expect(csv.split(/[;\t\r\n]/).filter(isFormula)).toEqual([])
    }),
  )
})

test('a file of ours comes back as it was', () => {
  fc.assert(
    fc.property(fc.array(cell, { minLength: 2, maxLength: 4 }), (texts) => {
      const [row = []] = [...streamCsvRows(renderCsv([texts]).slice(1), { delimiter: ',' })]
      expect(row.map((value) => withoutGuards(String(value ?? '')))).toEqual(texts)
    }),
  )
})
