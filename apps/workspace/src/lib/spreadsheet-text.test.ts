import fc from 'fast-check'
import { expect, test } from 'vitest'
import { guardFormulas, withoutGuards } from './spreadsheet-text.ts'

test.each([
  ['=1+1', "'=1+1"],
  ['@SUM(1)', "'@SUM(1)"],
  ['-x', "'-x"],
  ['+cmd|calc', "'+cmd|calc"],
  ['＝1', "'＝1"],
  ['  =1', "  '=1"],
  ['"=1"', `"'=1"`],
  ['\t=1', "'\t'=1"],
  ['\ntext', "'\ntext"],
  ["'=1", "''=1"],
  ["x;=cmd|' /C calc'!A0", "x;'=cmd|' /C calc'!A0"],
  ['x; "=cmd|1"', `x; "'=cmd|1"`],
  ['x;-cmd|1', "x;'-cmd|1"],
  ['one\n=2', "one\n'=2"],
  ['To do:\n- pump', "To do:\n'- pump"],
  ['one\t@two', "one\t'@two"],
  ['one\r\n+HYPERLINK("a")', `one\r\n'+HYPERLINK("a")`],
])('%j is guarded', (text, guarded) => {
  expect(guardFormulas(text)).toBe(guarded)
})

test.each(['-7.5', '1e-7', '-1e5', '+49 151 2345678', '+1 (555) 123 4567', 'a=b', 'x; y', ''])(
  '%j stays as it is',
  (text) => {
    expect(guardFormulas(text)).toBe(text)
    expect(withoutGuards(text)).toBe(text)
  },
)

test('guards come off again, and no apostrophe that a person wrote', () => {
  const texts = fc.string({ unit: fc.constantFrom(...`''==-+@＝＋;(|"a1 `, '\t', '\n', '\r', '\0') })
  fc.assert(fc.property(texts, (text) => void expect(withoutGuards(guardFormulas(text))).toBe(text)))
})

test('a long text takes a moment', () => {
  for (const part of [';-', '\t', ' ', ';', "'", '"', '; -', ';=']) {
    const text = part.repeat(100_000)
    expect(withoutGuards(guardFormulas(text))).toBe(text)
  }
})
