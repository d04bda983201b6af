import { expect, test } from 'vitest'
import { limitsOf, settingsChange } from './field-limits.ts'

const before = { default: null, computed: null, min: '1', max: null, unique: false }
const text = { default: '', computed: null, min: '1', max: '', unique: false }

test('only what differs is in the change, and an empty limit is none', () => {
  expect(settingsChange(before, text)).toEqual({})
  expect(settingsChange(before, { ...text, max: ' 5 ' })).toEqual({ limits: { min: '1', max: '5' } })
  expect(settingsChange(before, { ...text, min: '' })).toEqual({ limits: { min: null, max: null } })
  expect(settingsChange(before, { ...text, default: 'x', unique: true })).toEqual({ default: 'x', unique: true })
  expect(settingsChange({ ...before, default: 'x' }, text)).toEqual({ default: null })
  expect(settingsChange(before, { ...text, computed: 'today' })).toEqual({ default: { computed: 'today' } })
  expect(settingsChange({ ...before, computed: 'today' }, { ...text, computed: 'today' })).toEqual({})
  expect(settingsChange({ ...before, computed: 'today' }, text)).toEqual({ default: null })
})

test.each([
  ['integer', 'number'],
  ['date', 'day'],
  ['text', 'length'],
  ['long_text', 'length'],
  ['choice', undefined],
  ['link', undefined],
] as const)('limits of %s are about its %s', (kind, limits) => {
  expect(limitsOf(kind)).toBe(limits)
})
