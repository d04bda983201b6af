import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TypeShape } from '@holdfast/policy'
import { compileRecordId, readRecordId } from './record-id.ts'

const scalar = (oid: number): TypeShape => ({ kind: 'scalar', oid })
const idOf = (shapes: readonly TypeShape[], row: readonly (string | null)[]): string =>
  compileRecordId(shapes.map((shape, position) => ({ column: { shape }, position })))(row)

test.each<[string, number, string, string]>([
  ['text', 25, '["a"]', '["a"]'],
  ['uuid', 2950, 'b6b8c1a0-0000-4000-8000-000000000000', 'b6b8c1a0-0000-4000-8000-000000000000'],
  ['bigint', 20, '9223372036854775807', '9223372036854775807'],
  ['boolean', 16, 't', '1'],
  ['double precision', 701, '1e+20', '100000000000000000000'],
  ['double precision', 701, '-Infinity', '-Infinity'],
  ['date', 1082, 'infinity', 'infinity'],
  ['timestamptz', 1184, '2024-02-29 10:13:14.5+00', '2024-02-29T10:13:14.500000Z'],
  ['numeric', 1700, '10.00', '10.00'],
])('an id of one column of %s', (_, oid, text, id) => {
  expect(idOf([scalar(oid)], [text])).toBe(id)
})

test('an id of an array is its JSON', () => {
  expect(idOf([{ kind: 'array', element: scalar(23), delimiter: ',' }], ['{1,2}'])).toBe('[1,2]')
})

test('ids of several columns differ when any value does, and are read again', () => {
  const texts = fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      const [left, right] = [one, other].map((row) => idOf([scalar(25), scalar(25)], row)) as [string, string]
      expect(left === right).toBe(one[0] === other[0] && one[1] === other[1])
      expect(readRecordId(left, 2)).toEqual(one)
    }),
  )
})

test.each(['', 'a', '["a"]', '["a",1]', '{}', '["a","b","c"]', 'null'])('%s is no id of two columns', (id) => {
  expect(readRecordId(id, 2)).toBeUndefined()
})
