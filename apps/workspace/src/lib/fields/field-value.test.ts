import type { ColumnDescriptor } from '@holdfast/protocol'
import { describe, expect, test } from 'vitest'
import { formatFieldValue, parseTyped } from './field-value.ts'

const column = (type: string, rest: Partial<ColumnDescriptor> = {}): ColumnDescriptor => ({
  name: 'c',
  type,
  local: 'text',
  nullable: true,
  hasDefault: false,
  generated: false,
  ...rest,
})

describe('formatFieldValue', () => {
  test.each([
    ['an empty value', column('text'), null, undefined],
    ['a choice', column('action_state', { choices: ['to_verify'] }), 'to_verify', 'To verify'],
    ['true', column('boolean', { local: 'integer' }), 1, 'Yes'],
    ['false', column('boolean', { local: 'integer' }), 0, 'No'],
    ['a number with its zeros', column('numeric(6,2)'), '4.50', '4.50'],
    ['a date that is none', column('date'), 'soon', 'soon'],
  ])('shows %s', (_, of, value, shown) => {
    expect(formatFieldValue(of, value)).toBe(shown)
  })

  test('shows a date on the day it names, in every time zone', () => {
    expect(formatFieldValue(column('date'), '2026-11-14')).toContain('14')
  })
})

describe('parseTyped', () => {
  test.each([
    [column('integer', { local: 'integer' }), '12', 12],
    [column('numeric(6,2)'), '4.50', '4.50'],
    [column('text'), '', null],
    [column('integer', { local: 'integer' }), 'twelve', 'twelve'],
  ])('turns what was typed into a local value', (of, text, value) => {
    expect(parseTyped(of, text)).toBe(value)
  })
})
