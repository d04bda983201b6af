import { expect, test } from 'vitest'
import { addFieldChange } from './field-kinds.ts'

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
