import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FormItem, parseForm, renderForm } from './form-text.ts'

test('a form is its fields in their order, with what is asked and what helps', () => {
  const items: readonly FormItem[] = [
    { field: 'title', isRequired: true, label: 'What happened, in short?', help: '' },
    { field: 'site_id', isRequired: false, label: '', help: 'Near you. Or search!' },
    { field: 'detail', isRequired: false, label: '', help: '' },
  ]
  expect(renderForm(items)).toBe('title.required.What happened!, in short?,site_id...Near you!. Or search!!,detail')
  expect(parseForm(renderForm(items))).toEqual(items)
})

test('what is no field is left out, and a field is asked for once', () => {
  expect(parseForm('title,,.required,title.required').map(({ field }) => field)).toEqual(['title'])
  expect(parseForm(undefined)).toEqual([])
})

test('every form is read as it was written', () => {
  const item = fc.record({
    field: fc.string({ minLength: 1 }),
    isRequired: fc.boolean(),
    label: fc.string(),
    help: fc.string(),
  })
  const form = fc.uniqueArray(item, { selector: ({ field }) => field, maxLength: 8 })
  fc.assert(
    fc.property(form, (items) => {
      expect(parseForm(renderForm(items))).toEqual(items)
    }),
  )
})
