import { expect, test } from 'vitest'
import { addFieldChange, fieldKinds, isComputedKind } from './field-kinds.ts'

test.each([
  ['Depth', 'number', { name: 'depth', kind: 'number' }],
  ['Contact', 'email', { name: 'contact_email', kind: 'text' }],
  ['E-mail', 'text', { name: 'e_mail_value', kind: 'text' }],
  ['Cause', 'choice', { name: 'cause_2', kind: 'choice', choices: ['Rust'] }],
  ['Site', 'link:sites', { name: 'site', kind: 'link', table: 'sites' }],
  ['Pay', 'currency', { name: 'pay', kind: 'currency', code: 'EUR' }],
  ['Stars', 'rating', { name: 'stars', kind: 'rating', max: 5 }],
  ['Place', 'location', { name: 'place', kind: 'location' }],
  ['ID', 'autonumber', { name: 'id_2', kind: 'autonumber' }],
])('%s of kind %s', (label, kind, field) => {
  expect(addFieldChange({ label, kind, choices: ['Rust'] }, new Set(['cause']))).toEqual({
    kind: 'add_field',
    field: { label, ...field },
  })
})

test('computed kinds are offered beside the stored ones, and links last', () => {
  const kinds = fieldKinds([{ name: 'sites', label: 'Sites' }]).map(({ value }) => value)
  expect(kinds.filter(isComputedKind)).toEqual(['formula', 'lookup', 'rollup'])
  expect(kinds.at(-1)).toBe('link:sites')
  expect(new Set(kinds).size).toBe(kinds.length)
})
