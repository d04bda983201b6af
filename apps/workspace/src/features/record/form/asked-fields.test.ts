import { expect, test } from 'vitest'
import { TEST_FIELDS } from '../../../lib/fields/test-fields.test-support.ts'
import { askedFields } from './asked-fields.ts'

test('a form asks in its own words and its own order, and leaves out what is gone', () => {
  const asked = askedFields(TEST_FIELDS, 'due_on.required.Until when?,gone,title...In one line')
  expect(asked.map(({ field, isRequired }) => [field.name, field.label, field.help, isRequired])).toEqual([
    ['due_on', 'Until when?', undefined, true],
    ['title', 'Title', 'In one line', true],
  ])
})

test('a form that nobody put together asks for all that a person can fill in', () => {
  const names = askedFields(TEST_FIELDS, undefined).map(({ field }) => field.name)
  expect(names).toContain('title')
  expect(names).not.toContain('id')
})
