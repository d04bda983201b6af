import { expect, test } from 'vitest'
import type { Field } from '../../lib/fields/field.ts'
import { convertChange, newTypesOf } from './conversions.ts'

type Of = Pick<Field, 'kind' | 'name' | 'column' | 'link'>
const field = (kind: Field['kind'], more: Partial<Of> = {}): Of => ({
  kind,
  name: 'cause',
  column: { name: 'cause', type: 'text' } as Field['column'],
  link: undefined,
  ...more,
})

test.each([
  ['text', ['long_text', 'email', 'url', 'phone', 'integer', 'number', 'boolean', 'date', 'datetime', 'choice']],
  ['long_text', ['text', 'email', 'url', 'phone', 'integer', 'number', 'boolean', 'date', 'datetime', 'choice']],
  ['integer', ['text', 'number']],
  ['number', ['text', 'integer']],
  ['boolean', ['text']],
  ['date', ['datetime', 'text']],
  ['link', ['text']],
  ['datetime', ['date', 'text']],
  ['json', []],
] as const)('a field of kind %s can become %j', (kind, types) => {
  expect(newTypesOf(field(kind))).toEqual(types)
})

test('links go by the column that names the records of their table, in both directions', () => {
  const of = { order: 'iso', rest: 'keep', titleOf: () => 'title', keepLabel: 'Cause before' } as const
  expect(convertChange({ ...of, field: field('text'), kind: 'link:sites' })).toEqual({
    kind: 'convert_field',
    field: 'cause',
    rest: 'keep',
    keep_label: 'Cause before',
    to: { kind: 'link', table: 'sites', by: 'title' },
  })
  const link = field('link', { link: { table: 'sites', titleColumn: 'label' } })
  expect(convertChange({ ...of, field: link, kind: 'text' })).toMatchObject({ by: 'label', to: { kind: 'text' } })
})
