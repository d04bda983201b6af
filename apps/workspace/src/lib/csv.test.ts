import { expect, test } from 'vitest'
import { renderCsv } from './csv.ts'

test('cells with commas, quotes and line breaks are quoted, and nothing runs as a formula', () => {
  expect(
    renderCsv([
      ['a', 'b,c', 'say "x"', 'two\nlines'],
      ['=1+1', '-7.5', '+49', '@me', '-x'],
    ]),
  ).toBe(`\uFEFFa,"b,c","say ""x""","two\nlines"\r\n'=1+1,-7.5,+49,'@me,'-x\r\n`)
})
