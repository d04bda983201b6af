import { describe, expect, test } from 'vitest'
import { isNumeric, isSystemColumn, isTextual, kindOf } from './field-kind.ts'
import { testColumn } from './test-fields.test-support.ts'

describe('a column', () => {
  test.each([
    ['boolean', 'boolean'],
    ['smallint', 'integer'],
    ['bigint', 'integer'],
    ['numeric(6,2)', 'number'],
    ['double precision', 'number'],
    ['date', 'date'],
    ['timestamp with time zone', 'datetime'],
    ['timestamp(3) without time zone', 'datetime'],
    ['jsonb', 'json'],
    ['text[]', 'json'],
    ['numeric(6,2)[]', 'json'],
    ['uuid', 'uuid'],
    ['bytea', 'binary'],
    ['character varying(80)', 'text'],
    ['inet', 'text'],
  ])('of type %s is shown as %s', (type, kind) => {
    expect(kindOf(testColumn('value', type), false)).toBe(kind)
  })

  test.each([
    ['email', 'email'],
    ['contact_mail', 'email'],
    ['website', 'url'],
    ['report_url', 'url'],
    ['mobile', 'phone'],
    ['detail', 'long_text'],
    ['closing_remarks', 'long_text'],
    ['title', 'text'],
    ['curl', 'text'],
    ['context', 'text'],
    ['hotel', 'text'],
  ])('of text that is called %s is shown as %s', (name, kind) => {
    expect(kindOf(testColumn(name, 'text'), false)).toBe(kind)
  })

  test('that refers to a table of this device is a link, whatever its type', () => {
    const column = testColumn('site_id', 'uuid', { references: { table: 'sites', column: 'id' } })
    expect(kindOf(column, true)).toBe('link')
    expect(kindOf(column, false)).toBe('uuid')
  })

  test('of an enum is a choice, and a list of them is not', () => {
    const choices = ['open', 'done']
    expect(kindOf(testColumn('state', 'task_state', { choices }), false)).toBe('choice')
    expect(kindOf(testColumn('states', 'task_state[]', { choices }), false)).toBe('json')
  })

  test('that the database keeps is told by its name', () => {
    expect(['id', 'created_at', 'created', 'site_id'].filter(isSystemColumn)).toEqual(['id', 'created_at'])
  })
})

test('numbers are calculated, texts are searched, and nothing is both', () => {
  const kinds = ['text', 'long_text', 'email', 'url', 'phone', 'integer', 'number', 'date', 'choice', 'uuid'] as const
  expect(kinds.filter(isNumeric)).toEqual(['integer', 'number'])
  expect(kinds.filter(isTextual)).toEqual(['text', 'long_text', 'email', 'url', 'phone'])
})
