import { expect, test } from 'vitest'
import { AUTOMATIC_KINDS, FORMAT_KINDS } from '../../lib/fields/new-kinds.ts'
import { addFieldChange, isComputedKind, kindGroups } from './field-kinds.ts'

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

test('each kind is offered once, under a heading', () => {
  const groups = kindGroups([{ name: 'sites', label: 'Sites' }])
  const kinds = groups.flatMap((group) => group.kinds.map(({ value }) => value))
  expect(kinds.filter(isComputedKind)).toEqual(['formula', 'lookup', 'rollup'])
  expect(new Set(kinds).size).toBe(kinds.length)
  expect(kinds).toEqual(expect.arrayContaining([...FORMAT_KINDS, ...AUTOMATIC_KINDS, 'link:hf_members', 'link:sites']))
  expect(new Set(groups.map(({ heading }) => heading)).size).toBe(groups.length)
})
