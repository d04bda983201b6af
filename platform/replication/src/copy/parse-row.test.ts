import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCopyRow } from './parse-row.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** Encodes like `COPY … TO`. */
function encode(row: readonly (string | null)[]): Buffer {
  const fields = row.map((field) => field?.replaceAll(/[\\\b\f\n\r\t\v]/g, (found) => ESCAPES[found] ?? found) ?? '\\N')
  return Buffer.from(`${fields.join('\t')}\n`)
}

test('a line gives back the values it was written from', () => {
  const character = fc.oneof(
    fc.constantFrom('\\', '\t', '\n', 'N', '\b', 'n', '"', 'ü', '𝄞'),
    fc.string({ unit: 'binary' }),
  )
  const value = fc.option(
    fc.array(character, { maxLength: 8 }).map((parts) => parts.join('').toWellFormed().replaceAll('\0', '')),
  )
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 6 }), (row) => {
      const line = encode(row)
      const inside = Buffer.concat([Buffer.from('before'), line, Buffer.from('after')])
      expect(parseCopyRow(inside, 6, 6 + line.length)).toEqual(row)
    }),
  )
})

test.each([
  ['\\N\n', [null]],
  ['\n', ['']],
  ['\\\\N\n', ['\\N']],
  ['N\\t\t\\N\n', ['N\t', null]],
])('%j is %j', (line, row) => {
  expect(parseCopyRow(Buffer.from(line), 0, Buffer.byteLength(line))).toEqual(row)
})
